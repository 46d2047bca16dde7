// Retries transactions that the server rolled back because of other transactions.

import { setTimeout as sleep } from "node:timers/promises";
import { StorageUnavailable } from "../store.ts";
import { toStoreError } from "./errors.ts";

/**
 * Retries a transaction that the server rolled back, but not one with an unknown result.
 * @throws StorageUnavailable
 */
export type Retry = <T>(transaction: () => Promise<T>) => Promise<T>;

/**
 * Equal to `lock_timeout`: depending on the isolation level, conflicting transactions wait for each other or are rolled
 * back. Well below the time that a client waits for a reply.
 */
const retryForMs = 3_000;
/** A few round trips to a nearby server. */
const pauseMaxMs = 100;

/** @param random returns 0 to 1; pauses use their whole range, so that conflicting transactions spread out */
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

/** A serialization failure, a deadlock, and Citus's CIINF: the shard was moved while the statement ran. */
const rolledBackCodes = new Set(["40001", "40P01", "CIINF"]);

/**
 * The index of a shard of Citus, which names it only in the message, and reports a violation as XX000 where the rows
 * come from a query.
 */
const usedKeyOfShard = /"idempotency_keys_pkey_\d+"/;

/** Because of others, or for an Idempotency-Key that another node has used since it was read. */
function isRolledBack(error: unknown): boolean {
	const { code = "", table, message } = error as { code?: string; table?: string; message: string };
	if (rolledBackCodes.has(code)) return true;
	if (code === "23505" && table === "idempotency_keys") return true;
	return (code === "23505" || code === "XX000") && usedKeyOfShard.test(message);
}
