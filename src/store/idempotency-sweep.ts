// Removes expired Idempotency-Keys at the start and periodically, in batches that delay other writes only briefly. One
// node of a store does it for all.

import { sweepRows } from "./idempotency.ts";
import type { Store } from "./store.ts";

const sweepEveryMs = 10 * 60_000;
/** The node that has it keeps it, unless it misses a sweep. */
const leaseMs = 1.5 * sweepEveryMs;

/** @param sweep removes at most `sweepRows` keys and returns their number @returns a function that stops the sweeps */
export function sweepIdempotencyKeys(takeLease: Store["takeLease"], sweep: () => Promise<number>): () => Promise<void> {
	let isStopped = false;
	async function sweepAll(): Promise<void> {
		while ((await takeLease("sweep", leaseMs)) && (await sweep()) === sweepRows && !isStopped);
	}
	const start = () => void sweepAll().catch(() => {}); // The next sweep removes the rest.
	const sweeper = setInterval(start, sweepEveryMs).unref();
	start();
	return async () => {
		isStopped = true;
		clearInterval(sweeper);
		await takeLease("sweep", 0).catch(() => {});
	};
}
