// `animal-store serve` runs the service; `animal-store config` shows its settings and their sources, without secrets.

import type { Command } from "commander";
import { type Flags, flagOf, isUnderNpm, readConfig } from "../config.ts";
import { curlForFirst, curlOf } from "../contract/curl.ts";
import type { Log } from "../contract/observed.ts";
import type { Service } from "../service.ts";
import { type Setting, settings } from "../settings.ts";
import { withoutPassword } from "../store/postgres/url.ts";
import { buildConsole } from "./build-console.ts";
import { onSignals } from "./interrupt.ts";
import { examples, formatTable, say, toStdout } from "./output.ts";

/** How long a stop may take after STOP_DELAY. Requests have 10 s of this time to finish (see `Service.stop`). */
const stopGraceMs = 15_000;

export function serveCommand(command: Command): void {
	command
		.description("run the service until Ctrl-C or SIGTERM")
		.option("--first-key", "if the store has no key, create one and print it once")
		.optionsGroup("Settings (each is also an environment variable; the flag overrides it):");
	withSettings(command)
		.addHelpText(
			"after",
			`
Environment variable without a flag, because other users can see flags:
  API_KEY  ${settings.API_KEY.rule}
If DATABASE_URL has a password, set it in the environment, too.
${examples("serve --port 9000", "serve --database-url postgres://me@db.example.com/animals --host 0.0.0.0")}`,
		)
		.action(serve);
}

/** Adds a flag for each setting but API_KEY, because other users of the machine can see flags. */
function withSettings(command: Command): Command {
	const { API_KEY: _hidden, ...shown } = settings;
	for (const [name, { rule, default: preset = "none" }] of Object.entries<Setting>(shown))
		command.option(`${flagOf(name)} <value>`, `${name}: ${rule} (default: ${preset})`);
	return command;
}

async function serve({ firstKey = false, ...flags }: { firstKey?: boolean } & Flags): Promise<void> {
	const config = readConfig(undefined, flags);
	buildConsole();
	const isOnTerminal = process.stdout.isTTY === true;
	// Imported here, because the other commands start faster without the service.
	const [{ createLog }, { startService }] = await Promise.all([import("../ops/log.ts"), import("../service.ts")]);
	const { log, flush, droppedLines } = createLog(config.logLevel, process.stdout, isOnTerminal);
	let isClosing = false;
	const starting = startService({
		config,
		log,
		droppedLogLines: droppedLines,
		issuesFirstKey: firstKey,
		isOnTerminal,
		onRestartNeeded: () => void close(1),
	});
	async function close(code: number, cause: { signal?: NodeJS.Signals } = {}): Promise<void> {
		if (isClosing) return;
		isClosing = true;
		setTimeout(() => process.exit(1), stopGraceMs + config.stopDelay);
		const stopping = starting.then((service) => service.stop(undefined, cause));
		const [{ status }] = await Promise.allSettled([stopping]);
		flush();
		process.exit(status === "fulfilled" ? code : 1);
	}
	// Signals are handled before "listening" is logged, because a reader of that line may send a signal at once.
	const onSignal = (signal: NodeJS.Signals) => {
		// A new line, because the terminal has written ^C.
		if (isOnTerminal && signal === "SIGINT") process.stdout.write("\n");
		void close(0, { signal });
	};
	onSignals(["SIGINT", "SIGTERM", "SIGQUIT", ...ignoreSignals(log, isOnTerminal)], onSignal, () => process.exit(1));
	process.on("uncaughtException", (err) => {
		log.fatal({ err }, "stopping after an unexpected error");
		flush();
		if (isClosing) process.exit(1);
		void close(1);
	});
	const service = await starting;
	flush();
	if (firstKey) await introduce(service);
}

/**
 * SIGHUP stops the service on a terminal or under npm; elsewhere, it asks for a reload, and is ignored. SIGUSR1 and
 * SIGUSR2 are ignored, because Node would open its debugger or end. @returns SIGHUP if it stops the service
 */
function ignoreSignals(log: Log, isOnTerminal: boolean): "SIGHUP"[] {
	const isHangup = isOnTerminal || isUnderNpm();
	for (const signal of ["SIGUSR1", "SIGUSR2", ...(isHangup ? [] : ["SIGHUP"])])
		process.on(signal, () => log.info({ signal }, "the signal is ignored; SIGTERM stops the service"));
	return isHangup ? ["SIGHUP"] : [];
}

/** Prints the first key, requests to paste, and the reply to one of them. */
async function introduce({ url, firstKey }: Pick<Service, "url" | "firstKey">): Promise<void> {
	const pets = `${url}/v1/pets`;
	const listening = `
The animal store listens on ${pets}; its console is at ${url}/console
To list keys: npx animal-store keys list; to create one: npx animal-store keys create --name N
`;
	if (firstKey === undefined) return say(listening);
	const reply = await fetch(pets, { headers: { authorization: `Bearer ${firstKey}` } });
	const text = `
The animal store is running. Its first API key, shown only this once:

  export ANIMAL_STORE_KEY=${firstKey}

Console    ${url}/console
Reference  ${url}/docs
Commands   npx animal-store help

Paste the line with the key into another terminal. Then add an animal:

  ${curlForFirst(pets).join(" ")}

List all animals:

  ${curlOf(pets).join(" ")}

The reply now: ${reply.status} ${await reply.text()}
`;
	say(text);
}

export function configCommand(command: Command): void {
	command
		.description("show the settings that the service would use, without secrets; exit code 1 if one is invalid")
		.optionsGroup("The settings of serve:");
	withSettings(command).action(async (flags: Flags) => {
		const rows = readConfig(undefined, flags).given.map(({ name, text = "", from }) => [name, shown(name, text), from]);
		await toStdout(formatTable([rows], ["setting", "value", "from"]));
	});
}

/** The value of a setting, without secrets. */
function shown(name: string, text: string): string {
	return name === "API_KEY" && text !== "" ? `…${text.slice(-4)}` : withoutPassword(text) || "-";
}
