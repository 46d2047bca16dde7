// Shared by the commands that call a running service: its address, the API key, and how long to wait.

import type { Command } from "commander";
import { AnimalStore, type ClientOptions } from "../../client/src/index.ts";
import { defaultDatabaseUrl, readConnection } from "../config.ts";

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
	return command.option("--database-url <url>", `the store (DATABASE_URL; default: ${defaultDatabaseUrl})`);
}

/** @throws ConfigError */
export function connect({ url, key }: ConnectionOptions, options: ClientOptions = {}): AnimalStore<"bigint"> {
	return new AnimalStore({ retryForMs, ...options, ...readConnection({ url, key }), int64: "bigint" });
}
