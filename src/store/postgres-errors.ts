// PostgreSQL's failures in the words of the Store.

import { setTimeout as sleep } from "node:timers/promises";
import { StorageUnavailable, StoreRefused } from "./store.ts";

type ServerError = NodeJS.ErrnoException & { code?: string };

/** SQLSTATE classes that only a bug of ours brings about: bad data, broken constraints, wrong SQL. */
const bugs = /^(22|23|42)/;

/** What waiting or a person may cure is `StorageUnavailable`, lost connections and time-outs among it. */
export function storeError(error: unknown): unknown {
	const { code = "", message } = error as ServerError;
	const isOurs = error instanceof StorageUnavailable || error instanceof StoreRefused || error instanceof TypeError;
	if (isOurs || bugs.test(code)) return error;
	return new StorageUnavailable(`${code}: ${message}`);
}

/** Serialization failure or deadlock: the server rolled the transaction back for another one's sake. */
const rolledBack = /^(40001|40P01)$/;
const triesMax = 10;
const pauseMs = 3;

/**
 * Tries a transaction again that the server rolled back. One whose fate is unknown is not tried again.
 * @throws StorageUnavailable
 */
export async function untilCommitted<T>(transaction: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await transaction();
		} catch (error) {
			if (!rolledBack.test((error as ServerError).code ?? "") || tries === triesMax) throw storeError(error);
			await sleep(tries * pauseMs);
		}
	}
}

/** Why a database cannot be opened, as one sentence that says what to do. No password is in it. */
export function refusal(error: unknown, url: string): StoreRefused {
	if (error instanceof StoreRefused) return error;
	const { hostname, port = "5432", username, pathname } = new URL(url);
	const server = `PostgreSQL at ${hostname}:${port || "5432"}`;
	const { code = "", message } = error as ServerError;
	if (/^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|EAI_AGAIN|ECONNRESET)$/.test(code) || /timeout/i.test(message)) {
		return new StoreRefused(
			`cannot reach ${server} (${code || message}): start it, or mend host and port in DATABASE_URL`,
		);
	}
	if (code === "28P01" || code === "28000") {
		return new StoreRefused(
			`${server} does not let ${decodeURIComponent(username)} in: mend user and password in DATABASE_URL`,
		);
	}
	if (code === "3D000") {
		return new StoreRefused(
			`${server} has no database ${pathname.slice(1)}: create it, or mend the name in DATABASE_URL`,
		);
	}
	if (/SSL|TLS|certificate/i.test(message)) {
		return new StoreRefused(`no TLS connection to ${server} (${message}): mend the server, or sslmode in DATABASE_URL`);
	}
	return new StoreRefused(`cannot use ${server} (${code} ${message}): mend what it says, or DATABASE_URL`);
}
