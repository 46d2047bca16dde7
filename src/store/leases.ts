// Leases: work that one node does for all nodes of a store. The node that has the lease renews it; after that node
// ends, its lease expires and another node takes it. In this way, one node removes expired Idempotency-Keys, at its
// start and then periodically, in batches that delay other writes only briefly.

import type { Background } from "./background.ts";
import { sweepRows } from "./idempotency.ts";
import type { Store } from "./store.ts";

/** The duration of a lease, which is renewed while the work continues. */
export const leaseMs = 60_000;

/**
 * Does work that only one node does at a time, and renews the lease until the work ends.
 * @param take works like `Store.takeLease`; if it fails, the work is done without a lease
 */
export async function withLease(
	background: Background,
	take: (forMs: number) => Promise<boolean>,
	work: () => Promise<void>,
): Promise<void> {
	let isHeld = true;
	await background.run("lease", async () => {
		isHeld = await take(leaseMs);
	});
	if (!isHeld) return;
	const stopRenewing = background.repeat("lease", leaseMs / 3, () => take(leaseMs));
	try {
		await work();
	} finally {
		await stopRenewing();
		await background.run("lease", () => take(0));
	}
}

const sweepEveryMs = 10 * 60_000;
/** Long enough that the node with the lease keeps it, unless it misses a sweep. */
const sweepLeaseMs = 1.5 * sweepEveryMs;

/**
 * @param sweep removes at most `rows` keys, and returns the number of removed keys
 * @returns a function that stops the sweeps
 */
export function sweepIdempotencyKeys(
	background: Background,
	takeLease: Store["takeLease"],
	sweep: (rows: number) => Promise<number>,
	rows = sweepRows,
): () => Promise<void> {
	let isStopped = false;
	async function sweepAll(): Promise<void> {
		while ((await takeLease("sweep", sweepLeaseMs)) && (await sweep(rows)) === rows && !isStopped);
	}
	void background.run("sweep", sweepAll);
	const stopRepeating = background.repeat("sweep", sweepEveryMs, sweepAll);
	return async () => {
		isStopped = true;
		await stopRepeating();
		await background.run("lease", () => takeLease("sweep", 0));
	};
}
