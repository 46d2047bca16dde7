// Transactions that the server rolled back for another one's sake are tried again.

import { setTimeout as sleep } from "node:timers/promises";
import { StorageUnavailable } from "../store.ts";
import { storeError } from "./errors.ts";

/**
 * Tries a transaction again that the server rolled back. One whose fate is unknown is not tried again.
 * @throws StorageUnavailable
 */
export type UntilCommitted = <T>(transaction: () => Promise<T>) => Promise<T>;

/**
 * As long as a lock is waited for (`lock_timeout`): where transactions wait for each other under one isolation level,
 * they are rolled back under another. Well below what a client waits for a reply.
 */
const retryForMs = 3_000;
/** Some round trips to a server nearby. */
const pauseMaxMs = 100;

/** @param random from 0 to 1; pauses are drawn from their whole range, so that those that met once do not meet again */
export function retrying(random: () => number): UntilCommitted {
	return async (transaction) => {
		const startedAtMs = performance.now();
		for (let tries = 1; ; tries++) {
			try {
				return await transaction();
			} catch (error) {
				if (!isRolledBack(error)) throw storeError(error);
				const pauseMs = random() * Math.min(pauseMaxMs, 2 ** tries);
				if (performance.now() + pauseMs - startedAtMs > retryForMs)
					throw new StorageUnavailable(
						`rolled back ${tries} times for other transactions: ${(error as Error).message}`,
					);
				await sleep(pauseMs);
			}
		}
	};
}

/** A serialization failure, a deadlock, or an Idempotency-Key that another node has taken since it was looked up. */
function isRolledBack(error: unknown): boolean {
	const { code, table } = error as { code?: string; table?: string };
	return code === "40001" || code === "40P01" || (code === "23505" && table === "idempotency_keys");
}
