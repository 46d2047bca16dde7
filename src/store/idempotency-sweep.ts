// Idempotency-Keys that have expired are removed, at the start and from time to time, in pieces that keep no writer
// waiting long.

import { sweepRows } from "./idempotency.ts";

const sweepEveryMs = 10 * 60_000;

/** @param sweep removes at most `sweepRows` keys, and says how many @returns what ends it */
export function sweepIdempotencyKeys(sweep: () => Promise<number>): () => void {
	let isStopped = false;
	async function sweepAll(): Promise<void> {
		while ((await sweep()) === sweepRows && !isStopped);
	}
	const start = () => void sweepAll().catch(() => {}); // The next one sweeps what this one left.
	const sweeper = setInterval(start, sweepEveryMs).unref();
	start();
	return () => {
		isStopped = true;
		clearInterval(sweeper);
	};
}
