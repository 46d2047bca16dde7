// Connects commands to a running service or a store: the address, the API key, and how long to wait.

import type { Command } from "commander";
import { AnimalStore } from "../../client/src/index.ts";
import { ConfigError, collect, type Flags, readConfig } from "../config.ts";
import { matching, optional, setting, settings } from "../settings.ts";
import type { OpenOptions } from "../store/engine.ts";
import { nameOfStore, openStore } from "../store/open.ts";
import type { Store } from "../store/store.ts";
import { say } from "./output.ts";

export interface ConnectionOptions {
	url?: string;
	key?: string;
}

const connectionSettings = {
	ANIMAL_STORE_URL: setting(
		"the http or https URL of a service, such as http://127.0.0.1:8080",
		matching(/^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/),
		"http://127.0.0.1:8080",
	),
	ANIMAL_STORE_KEY: optional(
		"an API key, without spaces (flag --key); on the service's host, animal-store keys create --name me creates one",
		matching(/^[\x21-\x7e]{1,255}$/),
	),
};

/** Reads address and key. Flags override the environment. @throws ConfigError */
export function readConnection({ url, key }: ConnectionOptions, environment?: NodeJS.ProcessEnv) {
	const flags = { url: url || undefined, key: key || undefined };
	const { values, given, problems } = collect(connectionSettings, environment, flags);
	const { rule } = connectionSettings.ANIMAL_STORE_KEY;
	if (given.some(({ text }) => text === undefined)) problems.push(`ANIMAL_STORE_KEY is required and must be ${rule}`);
	if (values.key === undefined || problems.length > 0) throw new ConfigError(problems);
	return { url: values.url, key: values.key };
}

/** Long enough for a busy service, but not for a restart, because a person waits. */
export const retryForMs = 3_000;

export function withConnection(command: Command): Command {
	return command
		.optionsGroup("Connection:")
		.option("--url <url>", "address of the service (ANIMAL_STORE_URL; default: http://127.0.0.1:8080)")
		.option("--key <key>", "the API key (ANIMAL_STORE_KEY, which is safer: other users can see flags)");
}

export interface DatabaseOptions {
	json?: boolean;
	databaseUrl?: string;
}

/** Adds the options of commands that open the store itself. @param json describes what `--json` prints */
export function withDatabase(command: Command, json = "the result as JSON"): Command {
	return command
		.option("--json", json)
		.option("--database-url <url>", `the store (DATABASE_URL; default: ${settings.DATABASE_URL.default})`);
}

type Work<Result> = (store: Store) => Promise<Result>;

/** Keeps the store open while the work runs. By default, the store must exist, because DATABASE_URL may be mistyped. */
export async function withStore<Result>(flags: Flags, work: Work<Result>, options: OpenOptions = { mustExist: true }) {
	const { databaseUrl, backups } = readConfig(undefined, flags);
	const store = await openStore(databaseUrl, Date.now, { backupFolder: backups?.folder, ...options });
	return work(store).finally(() => store.close());
}

/** Like `withStore`, for work that changes the store. Prints afterwards which store this was. */
export async function changeStore<Result>(flags: Flags, work: Work<Result>, options?: OpenOptions): Promise<Result> {
	const result = await withStore(flags, work, options);
	sayStore(readConfig(undefined, flags).databaseUrl);
	return result;
}

/** Prints which store a command has changed, because the settings may name an unexpected store. */
export function sayStore(databaseUrl: string): void {
	say(`in ${nameOfStore(databaseUrl)}`);
}

/** @throws ConfigError */
export function connect(options: ConnectionOptions): AnimalStore<"bigint"> {
	return new AnimalStore({ retryForMs, ...readConnection(options), int64: "bigint" });
}
