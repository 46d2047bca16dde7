// The figures that the console plots: counters since the start of this node, and the number of animals of each status.

import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { Activity } from "../contract/activity.ts";
import type { PetStatus } from "../contract/pet.ts";
import type { Store } from "../store/store.ts";
import type { Metrics } from "./metrics.ts";

/** Small enough to delay other reads by one or two milliseconds only. */
const countBatch = 5_000;
/** How long a reply waits for the first count. */
const firstCountMs = 100;

export function watchActivity({ store, metrics, node }: { store: Store; metrics: Metrics; node: string }) {
	const animals = { available: 0, pending: 0, sold: 0, none: 0, isComplete: false };
	let countedTo = 0n;
	let counting: Promise<void> | undefined;

	/** Continues after the last animal counted. */
	async function countNew(): Promise<void> {
		for (;;) {
			const { counts, lastId } = await store.countPets(countedTo, countBatch);
			if (lastId === undefined) break;
			countedTo = lastId;
			for (const [status, count] of Object.entries(counts)) animals[status as PetStatus] += count;
			await turn();
		}
		animals.isComplete = true;
	}

	return async (): Promise<Activity> => {
		counting ??= countNew().finally(() => {
			counting = undefined;
		});
		counting.catch(() => {}); // A caller that awaits it still gets the error.
		// The first count of a large store takes long; later ones read only new animals.
		await (animals.isComplete ? counting : Promise.race([counting, sleep(firstCountMs)]));
		const { requests, latency } = await metrics.replies();
		const uptimeMs = Math.round(process.uptime() * 1000);
		return { node, uptimeMs, requests, latency, creates: { ...store.created }, animals: { ...animals } };
	};
}
