// The `animal-store` command. Every failure ends here, with one sentence for each problem and exit code 1 (130 after
// Ctrl-C). Commander itself reports wrong usage.

import { readFileSync } from "node:fs";
import { styleText } from "node:util";
import { Command, CommanderError } from "commander";
import { describeError, Interrupted } from "./cli/command-error.ts";
import { readEnvFile } from "./cli/env-file.ts";
import { interruptedExitCode } from "./cli/interrupt.ts";
import { warnOfNearNames } from "./cli/near-names.ts";
import { namesGiven, useEnvFile } from "./config.ts";

type Load = () => Promise<(command: Command) => void>;

/** The commands by their headings in the help. Each file adds the options and the action to a command. */
const commands: Record<string, Record<string, Load>> = {
	"The animals of a running service (ANIMAL_STORE_URL, ANIMAL_STORE_KEY):": {
		pets: async () => (await import("./cli/pets.ts")).petsCommand,
		import: async () => (await import("./cli/import.ts")).importCommand,
		export: async () => (await import("./cli/export.ts")).exportCommand,
	},
	"The service and its store (DATABASE_URL):": {
		serve: async () => (await import("./cli/serve.ts")).serveCommand,
		config: async () => (await import("./cli/serve.ts")).configCommand,
		keys: async () => (await import("./cli/keys.ts")).keysCommand,
		categories: async () => (await import("./cli/categories.ts")).categoriesCommand,
		audit: async () => (await import("./cli/audit.ts")).auditCommand,
		backup: async () => (await import("./cli/backup.ts")).backupCommand,
		restore: async () => (await import("./cli/backup.ts")).restoreCommand,
		verify: async () => (await import("./cli/backup.ts")).verifyCommand,
		copy: async () => (await import("./cli/copy.ts")).copyCommand,
	},
};

/** Loads only the command that is called. Help and unknown names need all commands. */
async function addCommands(to: Command, name = ""): Promise<void> {
	const needsAll = !Object.values(commands).some((group) => Object.hasOwn(group, name));
	for (const [heading, group] of Object.entries(commands)) {
		to.commandsGroup(heading);
		for (const [each, load] of Object.entries(group)) if (needsAll || each === name) (await load())(to.command(each));
	}
}

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const program = new Command("animal-store")
	.description("A store of animals behind a small, exact HTTP/JSON interface.")
	.version(version, "-V, --version", "print the version")
	.option("--env-file <file>", "also read settings from this file; flags and variables override it")
	.exitOverride() // Commander throws, so that output is complete when the process ends.
	.configureHelp({ showGlobalOptions: true })
	.hook("preAction", (command) => {
		const { envFile } = command.opts<{ envFile?: string }>();
		if (envFile !== undefined) useEnvFile(readEnvFile(envFile));
		warnOfNearNames(namesGiven());
	});
await addCommands(
	program,
	process.argv.slice(2).find((word, index, all) => !word.startsWith("-") && all[index - 1] !== "--env-file"),
);

function report(error: unknown): void {
	const isShown = error instanceof CommanderError;
	const name = styleText("red", "animal-store:", { stream: process.stderr });
	for (const sentence of isShown ? [] : describeError(error)) console.error(`${name} ${sentence}`);
	if (isShown && error.exitCode === 0) return;
	process.exitCode = error instanceof Interrupted ? interruptedExitCode : 1;
}

// Help is written without waiting. A reader that closes early, such as `head`, is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
	const isHandled = process.stdout.listenerCount("error") > 1;
	if (!isHandled && error.code !== "EPIPE") report(error);
});

try {
	await program.parseAsync();
} catch (error) {
	report(error);
}
