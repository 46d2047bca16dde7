// The `animal-store` command. Every failure ends here: exit code 1 (130 after Ctrl-C) and one sentence for each problem, no stack.

import { Command } from "commander";
import { backupCommand } from "./cli/backup.ts";
import { completionCommand } from "./cli/completion.ts";
import { copyCommand } from "./cli/copy.ts";
import { exportCommand } from "./cli/export.ts";
import { importCommand } from "./cli/import.ts";
import { interruptedExitCode } from "./cli/interrupt.ts";
import { keysCommand } from "./cli/keys.ts";
import { openApiCommand } from "./cli/openapi.ts";
import { petsCommand } from "./cli/pets.ts";
import { restoreCommand } from "./cli/restore.ts";
import { Interrupted, sentences } from "./cli/sentences.ts";
import { serveCommand } from "./cli/serve.ts";

const program = new Command("animal-store")
	.description("A store of animals behind a small, exact HTTP/JSON interface.")
	.showHelpAfterError("(animal-store help shows what there is)")
	.commandsGroup("The animals of a running service (ANIMAL_STORE_URL, ANIMAL_STORE_KEY):")
	.addCommand(petsCommand())
	.addCommand(importCommand())
	.addCommand(exportCommand())
	.commandsGroup("The service and its store (DATABASE_URL):")
	.addCommand(serveCommand())
	.addCommand(keysCommand())
	.addCommand(backupCommand())
	.addCommand(restoreCommand())
	.addCommand(copyCommand())
	.commandsGroup("More:")
	.addCommand(openApiCommand())
	.addCommand(completionCommand())
	.helpCommand("help [command]", "show what a command does and takes");

try {
	await program.parseAsync();
} catch (error) {
	for (const sentence of sentences(error)) console.error(`animal-store: ${sentence}`);
	process.exitCode = error instanceof Interrupted ? interruptedExitCode : 1;
}
