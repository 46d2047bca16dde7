// The commands of `animal-store`. Every failure is reported here, except wrong usage, which Commander reports.

import { readFileSync } from "node:fs";
import { styleText } from "node:util";
import { Command, CommanderError } from "commander";
import { loadEnvFile } from "../config.ts";
import { CommandError, describeError, Interrupted } from "./command-error.ts";
import { interruptedExitCode } from "./interrupt.ts";
import { say } from "./output.ts";

type Load = () => Promise<(command: Command) => void>;

const completion = "completion";

/** The commands under their headings in the help. Each file adds the options and the action of its command. */
const commands: Record<string, Record<string, Load>> = {
	"The animals of a running service (ANIMAL_STORE_URL, ANIMAL_STORE_KEY):": {
		pets: async () => (await import("./pets.ts")).petsCommand,
		import: async () => (await import("./import.ts")).importCommand,
		export: async () => (await import("./export.ts")).exportCommand,
	},
	"The service and its store (DATABASE_URL):": {
		serve: async () => (await import("./serve.ts")).serveCommand,
		config: async () => (await import("./serve.ts")).configCommand,
		keys: async () => (await import("./keys.ts")).keysCommand,
		categories: async () => (await import("./categories.ts")).categoriesCommand,
		audit: async () => (await import("./audit.ts")).auditCommand,
		backup: async () => (await import("./backup.ts")).backupCommand,
		restore: async () => (await import("./backup.ts")).restoreCommand,
		verify: async () => (await import("./backup.ts")).verifyCommand,
		copy: async () => (await import("./copy.ts")).copyCommand,
	},
	"Your shell:": {
		[completion]: async () => (await import("./completion.ts")).completionCommand,
	},
};

/** Loads only the command that is called. Help, completion and unknown names need all commands. */
async function addCommands(to: Command, name = ""): Promise<void> {
	const needsAll = name === completion || !Object.values(commands).some((group) => Object.hasOwn(group, name));
	for (const [heading, group] of Object.entries(commands)) {
		to.commandsGroup(heading);
		for (const [each, load] of Object.entries(group)) if (needsAll || each === name) (await load())(to.command(each));
	}
}

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

function createProgram(): Command {
	return new Command("animal-store")
		.description("A store of animals behind a small, exact HTTP/JSON interface.")
		.version(version, "-V, --version", "print the version")
		.option("--env-file <file>", "add the variables of this file; flags and the environment override them")
		.configureOutput({ outputError: (text) => say(text.trimEnd()) })
		.exitOverride() // Commander throws, so that output is complete when the process ends.
		.configureHelp({ showGlobalOptions: true })
		.hook("preAction", (command) => {
			const { envFile } = command.opts<{ envFile?: string }>();
			if (envFile !== undefined) loadEnvFile(envFile);
		});
}

export function report(error: unknown): void {
	const isShown = error instanceof CommanderError;
	const name = styleText("red", "animal-store:", { stream: process.stderr });
	for (const sentence of isShown ? [] : describeError(error)) say(sentence, `${name} `);
	if (error instanceof CommandError && error.next !== undefined) say(error.next);
	if (isShown && error.exitCode === 0) return;
	process.exitCode = error instanceof Interrupted ? interruptedExitCode : 1;
}

/** Runs a command to its end, and sets the process's exit code. @param words all words after the program's name */
export async function runCommand(words: string[]): Promise<void> {
	try {
		const program = createProgram();
		const isCommand = (word: string, index: number) => !word.startsWith("-") && words[index - 1] !== "--env-file";
		await addCommands(program, words.find(isCommand));
		await program.parseAsync(words, { from: "user" });
	} catch (error) {
		report(error);
	}
}
