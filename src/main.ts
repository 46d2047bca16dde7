// The `animal-store` command. Every failure ends here: one sentence for each problem, and exit code 1 (130 after
// Ctrl-C).

import { readFileSync } from "node:fs";
import { styleText } from "node:util";
import { Command, CommanderError } from "commander";
import { auditCommand } from "./cli/audit.ts";
import { backupCommand } from "./cli/backup.ts";
import { describeError, Interrupted } from "./cli/command-error.ts";
import { adviseAsCalled } from "./cli/command-name.ts";
import { completionCommand } from "./cli/completion.ts";
import { configCommand } from "./cli/config.ts";
import { copyCommand } from "./cli/copy.ts";
import { withEdits } from "./cli/edits.ts";
import { exportCommand } from "./cli/export.ts";
import { importCommand } from "./cli/import.ts";
import { interruptedExitCode } from "./cli/interrupt.ts";
import { keysCommand } from "./cli/keys.ts";
import { openApiCommand } from "./cli/openapi.ts";
import { petsCommand } from "./cli/pets.ts";
import { restoreCommand } from "./cli/restore.ts";
import { serveCommand } from "./cli/serve.ts";
import { helpCommand, setUsage } from "./cli/usage.ts";
import { verifyCommand } from "./cli/verify.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const program = new Command("animal-store")
	.description("A store of animals behind a small, exact HTTP/JSON interface.")
	.version(version, "--version", "print the version")
	.commandsGroup("The animals of a running service (ANIMAL_STORE_URL, ANIMAL_STORE_KEY):")
	.addCommand(withEdits(petsCommand()))
	.addCommand(importCommand())
	.addCommand(exportCommand())
	.commandsGroup("The service and its store (DATABASE_URL):")
	.addCommand(serveCommand())
	.addCommand(configCommand())
	.addCommand(keysCommand())
	.addCommand(auditCommand())
	.addCommand(backupCommand())
	.addCommand(restoreCommand())
	.addCommand(verifyCommand())
	.addCommand(copyCommand())
	.commandsGroup("More:")
	.addCommand(openApiCommand())
	.addCommand(completionCommand())
	.addCommand(helpCommand());
const describeUsageError = setUsage(program);

/** Nothing where commander showed what was asked for: help or the version. */
function sentencesOf(error: unknown): string[] {
	if (!(error instanceof CommanderError)) return describeError(error);
	return error.code.startsWith("commander.help") || error.code === "commander.version"
		? []
		: [describeUsageError(error)];
}

try {
	await program.parseAsync();
} catch (error) {
	const sentences = sentencesOf(error);
	const name = styleText("red", "animal-store:", { stream: process.stderr });
	for (const sentence of sentences) console.error(`${name} ${adviseAsCalled(sentence)}`);
	if (sentences.length > 0) process.exitCode = error instanceof Interrupted ? interruptedExitCode : 1;
}
