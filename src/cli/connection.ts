// For the commands that call a running service or open a store: its address, the API key, and how long to wait.

import { resolve } from "node:path";
import type { Command } from "commander";
import { AnimalStore, type ClientOptions } from "../../client/src/index.ts";
import { type Flags, readConfig, readConnection, settings } from "../config.ts";
import { openStore } from "../store/open.ts";
import { withoutPassword } from "../store/postgres/url.ts";
import type { OpenOptions, Store } from "../store/store.ts";

export interface ConnectionOptions {
	url?: string;
	key?: string;
}

/** A person waits: long enough for a busy service, not for a restart. */
export const retryForMs = 3_000;

export function withConnection(command: Command): Command {
	return command
		.optionsGroup("Connection:")
		.option("--url <url>", "address of the service (ANIMAL_STORE_URL; default: http://127.0.0.1:8080)")
		.option("--key <key>", "the API key (ANIMAL_STORE_KEY, which is safer: other users can see flags)");
}

/** For the commands that open the store itself. */
export function withDatabase(command: Command): Command {
	return command.option("--database-url <url>", `the store (DATABASE_URL; default: ${settings.DATABASE_URL.default})`);
}

/** Opens the store of the settings while the work runs. By default it must exist: DATABASE_URL may be mistyped. */
export async function withStore<Result>(
	flags: Flags,
	work: (store: Store, databaseUrl: string) => Promise<Result>,
	options: OpenOptions = { mustExist: true },
): Promise<Result> {
	const { databaseUrl } = readConfig(undefined, flags);
	const store = await openStore(databaseUrl, Date.now, options);
	return work(store, databaseUrl).finally(() => store.close());
}

/**
 * Prints which store a command has changed, because the settings may name another one than expected.
 * @param databaseUrl a valid one
 */
export function sayStore(databaseUrl: string): void {
	const file = /^sqlite:(.*)$/s.exec(databaseUrl)?.[1];
	console.error(`in ${file === undefined ? withoutPassword(databaseUrl) : `sqlite:${resolve(file)}`}`);
}

/** @throws ConfigError */
export function connect({ url, key }: ConnectionOptions, options: ClientOptions = {}): AnimalStore<"bigint"> {
	return new AnimalStore({ retryForMs, ...options, ...readConnection({ url, key }), int64: "bigint" });
}
