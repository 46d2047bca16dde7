// Removes old Idempotency-Keys from time to time, in batches that delay other writes only briefly. Each node does so at
// random intervals. Keys that another node has already removed cost nothing.

import type { Background, Store } from "../store/store.ts";

/** The mean time between two sweeps of a node. */
const everyMs = 60_000;
/** The most keys of a batch. */
const rowsMax = 10_000;

/**
 * @param random returns 0 to 1
 * @returns a function that stops the sweeps, and resolves when none is under way any more
 */
export function startSweeps(
	{ sweepIdempotencyKeys }: Pick<Store, "sweepIdempotencyKeys">,
	background: Background,
	random: () => number,
): () => Promise<void> {
	let isStopped = false;
	const stopRepeating = background.repeat("sweep", everyMs * (0.5 + random()), async () => {
		while ((await sweepIdempotencyKeys(rowsMax)) === rowsMax && !isStopped);
	});
	return async () => {
		isStopped = true;
		await stopRepeating();
	};
}
