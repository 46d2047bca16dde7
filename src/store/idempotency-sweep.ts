// Removes expired Idempotency-Keys at the start and periodically, in batches that delay other writes only briefly.

import { sweepRows } from "./idempotency.ts";

const sweepEveryMs = 10 * 60_000;

/** @param sweep removes at most `sweepRows` keys and returns their number @returns a function that stops the sweeps */
export function sweepIdempotencyKeys(sweep: () => Promise<number>): () => void {
	let isStopped = false;
	async function sweepAll(): Promise<void> {
		while ((await sweep()) === sweepRows && !isStopped);
	}
	const start = () => void sweepAll().catch(() => {}); // The next sweep removes the rest.
	const sweeper = setInterval(start, sweepEveryMs).unref();
	start();
	return () => {
		isStopped = true;
		clearInterval(sweeper);
	};
}
