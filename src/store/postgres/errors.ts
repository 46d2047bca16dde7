// Converts PostgreSQL's errors, and retries transactions that the server rolled back because of other transactions.

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { StorageUnavailable, StoreRefused } from "../store.ts";
import { nameOfServer, type PostgresUrl } from "./url.ts";

/** The SQLSTATE with which a read-only server refuses writes. */
export const readOnlyCode = "25006";

/**
 * Prefixes of the SQLSTATEs (PostgreSQL manual, appendix A) of errors that time or an operator can fix: lost
 * connections (08), a read-only server after a failover (25006), transactions that took too long (25P03, 25P04), named
 * statements that a pooler mixed up (26, 42P05), passwords and permissions (28, 42501), a missing database (3D),
 * rollbacks caused by other transactions (40, 72), full disks and memory (53), locks (55), operators and time-outs
 * (57), system errors (58, F0, XX). All other errors, such as wrong SQL and violated constraints, are bugs.
 */
const temporary = /^(08|25006|25P03|25P04|26|28|3D|40|42501|42P05|53|55|57|58|72|F0|XX)/;

/** Failures that time or an operator can fix become `StorageUnavailable`, including lost connections and time-outs. */
export function toStoreError(error: unknown): unknown {
	const isOurs = error instanceof StorageUnavailable || error instanceof StoreRefused || error instanceof TypeError;
	const { code = "", message } = error as NodeJS.ErrnoException;
	if (isOurs || (error instanceof pg.DatabaseError && !temporary.test(code))) return error;
	return new StorageUnavailable([code, message].filter(Boolean).join(": "));
}

export const readOnlyText = "the database is read-only, perhaps a replica: set DATABASE_URL to the primary";

/** Whether Node reports an error of a socket or of a name look-up, or `pg` reports a lost or slow connection. */
const isUnreachable = ({ code = "", message }: NodeJS.ErrnoException) =>
	/^E(?!RR_)/.test(code) || /^(timeout|Connection terminated|Query read timeout)/.test(message);

/** Turns an error in opening a database into one sentence that has the fix, and never the password. */
export function toRefusal(error: unknown, url: PostgresUrl): StoreRefused {
	if (error instanceof StoreRefused) return error;
	const server = `PostgreSQL at ${nameOfServer(url)}`;
	const { code = "", message } = error as NodeJS.ErrnoException;
	if (code === readOnlyCode) return new StoreRefused(readOnlyText);
	if (isUnreachable(error as Error))
		return new StoreRefused(
			`cannot reach ${server} (${code || message}): start it, or fix host and port in DATABASE_URL`,
		);
	if (code === "28P01" || code === "28000")
		return new StoreRefused(`${server} rejects the user ${url.user ?? ""}: fix user and password in DATABASE_URL`);
	if (code === "3D000")
		return new StoreRefused(`${server} has no database ${url.database}: create it, or fix the name in DATABASE_URL`);
	if (code === "53300")
		return new StoreRefused(`${server} has no free connection: raise its max_connections, or lower DATABASE_POOL_MAX`);
	if (/SSL|TLS|certificate/i.test(message)) {
		return new StoreRefused(`no TLS connection to ${server} (${message}): fix the server, or sslmode in DATABASE_URL`);
	}
	return new StoreRefused(`cannot use ${server} (${code} ${message}): fix the server, or DATABASE_URL`);
}

/** Retries a transaction that the server rolled back, never one with an unknown result. @throws StorageUnavailable */
export type Retry = <T>(transaction: () => Promise<T>) => Promise<T>;

/**
 * How long to retry: as long as `lock_timeout`, because the isolation level decides whether a conflicting transaction
 * waits for a lock or is rolled back. A client waits much longer for a reply.
 */
const retryForMs = 3_000;
/** The longest pause before a retry: a few round trips to a nearby server. */
const pauseMaxMs = 100;

/** @param random returns 0 to 1, so that the pauses of conflicting transactions differ */
export function createRetry(random: () => number): Retry {
	return async (transaction) => {
		const startedAtMs = performance.now();
		for (let tries = 1; ; tries++) {
			try {
				return await transaction();
			} catch (error) {
				if (!isRolledBack(error)) throw toStoreError(error);
				const pauseMs = random() * Math.min(pauseMaxMs, 2 ** tries);
				if (performance.now() + pauseMs - startedAtMs > retryForMs)
					throw new StorageUnavailable(
						`rolled back ${tries} times because of other transactions: ${(error as Error).message}`,
					);
				await sleep(pauseMs);
			}
		}
	};
}

/** Codes of a serialization failure, a deadlock, and (CIINF, Citus) a shard that was moved during the statement. */
const rolledBackCodes = new Set(["40001", "40P01", "CIINF"]);

/** A used key in a shard, whose index Citus names only in the message. If rows come from a query, the code is XX000. */
const usedKeyOfShard = /"idempotency_keys_pkey_\d+"/;

/** True if other transactions caused the rollback, or if another node has just used the Idempotency-Key. */
function isRolledBack(error: unknown): boolean {
	const { code = "", table, message } = error as { code?: string; table?: string; message: string };
	if (rolledBackCodes.has(code)) return true;
	if (code === "23505" && table === "idempotency_keys") return true;
	return (code === "23505" || code === "XX000") && usedKeyOfShard.test(message);
}
