// The `animal-store` command. Every failure ends here: one sentence for each problem, and exit code 1 (130 after
// Ctrl-C).

import { readFileSync } from "node:fs";
import { Command } from "commander";
import { backupCommand } from "./cli/backup.ts";
import { describeError, Interrupted } from "./cli/command-error.ts";
import { adviseAsCalled } from "./cli/command-name.ts";
import { completionCommand } from "./cli/completion.ts";
import { copyCommand } from "./cli/copy.ts";
import { exportCommand } from "./cli/export.ts";
import { importCommand } from "./cli/import.ts";
import { interruptedExitCode } from "./cli/interrupt.ts";
import { keysCommand } from "./cli/keys.ts";
import { openApiCommand } from "./cli/openapi.ts";
import { petsCommand } from "./cli/pets.ts";
import { restoreCommand } from "./cli/restore.ts";
import { serveCommand } from "./cli/serve.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const program = new Command("animal-store")
	.description("A store of animals behind a small, exact HTTP/JSON interface.")
	.version(version, "--version", "print the version")
	.showHelpAfterError("(animal-store help lists all commands)")
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
	.helpCommand("help [command]", "describe a command and its options");

function setOutput(command: Command): void {
	command.configureOutput({
		writeOut: (text) => void process.stdout.write(adviseAsCalled(text)),
		writeErr: (text) => void process.stderr.write(adviseAsCalled(text)),
	});
	command.commands.forEach(setOutput);
}
setOutput(program);

try {
	await program.parseAsync();
} catch (error) {
	for (const sentence of describeError(error)) console.error(`animal-store: ${adviseAsCalled(sentence)}`);
	process.exitCode = error instanceof Interrupted ? interruptedExitCode : 1;
}
