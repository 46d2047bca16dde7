// The `animal-store` command. Every failure ends here: exit code 1 and one sentence for each problem, no stack.

import { Command } from "commander";
import { backupCommand } from "./cli/backup.ts";
import { copyCommand } from "./cli/copy.ts";
import { keysCommand } from "./cli/keys.ts";
import { openApiCommand } from "./cli/openapi.ts";
import { sentences } from "./cli/sentences.ts";
import { serveCommand } from "./cli/serve.ts";

const program = new Command("animal-store")
	.description("A store of animals behind a small, exact HTTP/JSON interface.")
	.showHelpAfterError("(animal-store help shows what there is)")
	.addCommand(serveCommand())
	.addCommand(keysCommand())
	.addCommand(backupCommand())
	.addCommand(copyCommand())
	.addCommand(openApiCommand());

try {
	await program.parseAsync();
} catch (error) {
	for (const sentence of sentences(error)) console.error(`animal-store: ${sentence}`);
	process.exitCode = 1;
}
