// Removes expired Idempotency-Keys at the start and periodically, in batches that delay other writes only briefly. One
// node of a store does it for all.

import type { Background } from "./background.ts";
import { sweepRows } from "./idempotency.ts";
import type { Store } from "./store.ts";

const sweepEveryMs = 10 * 60_000;
/** The node that has it keeps it, unless it misses a sweep. */
const leaseMs = 1.5 * sweepEveryMs;

interface Sweeping {
	background: Background;
	takeLease: Store["takeLease"];
	/** Removes at most so many keys. @returns their number */
	sweep: (rows: number) => Promise<number>;
	rows?: number | undefined;
}

/** @returns a function that stops the sweeps */
export function sweepIdempotencyKeys(sweeping: Sweeping): () => Promise<void> {
	const { background, takeLease, sweep, rows = sweepRows } = sweeping;
	let isStopped = false;
	async function sweepAll(): Promise<void> {
		while ((await takeLease("sweep", leaseMs)) && (await sweep(rows)) === rows && !isStopped);
	}
	void background.run("sweep", sweepAll);
	const stopRepeating = background.repeat("sweep", sweepEveryMs, sweepAll);
	return async () => {
		isStopped = true;
		await stopRepeating();
		await background.run("lease", () => takeLease("sweep", 0));
	};
}
