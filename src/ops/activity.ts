// What the console plots: counters since the start of this node, and how many animals there are of each status.

import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { Activity } from "../contract/activity.ts";
import type { PetStatus } from "../contract/pet.ts";
import type { Store } from "../store/store.ts";
import type { Metrics } from "./metrics.ts";

/** Keeps reads of others waiting for a millisecond or two at most. */
const countedAtOnce = 5_000;
/** How long a reply waits for the first count. */
const firstCountMs = 100;

export function watchActivity({ store, metrics, node }: { store: Store; metrics: Metrics; node: string }) {
	const animals = { available: 0, pending: 0, sold: 0, none: 0, isComplete: false };
	let countedTo = 0n;
	let counting: Promise<void> | undefined;

	/** Animals are neither changed nor removed, so those that were counted stay counted. */
	async function countOn(): Promise<void> {
		for (;;) {
			const { counts, lastId } = await store.countPets(countedTo, countedAtOnce);
			if (lastId === undefined) break;
			countedTo = lastId;
			for (const [status, count] of Object.entries(counts)) animals[status as PetStatus] += count;
			await turn();
		}
		animals.isComplete = true;
	}

	return async (): Promise<Activity> => {
		counting ??= countOn().finally(() => {
			counting = undefined;
		});
		counting.catch(() => {}); // Whoever waits for it hears of it.
		// The first count of a large store takes a while; later ones see only what is new.
		await (animals.isComplete ? counting : Promise.race([counting, sleep(firstCountMs)]));
		const { requests, latency } = await metrics.replies();
		const uptimeMs = Math.round(process.uptime() * 1000);
		return { node, uptimeMs, requests, latency, creates: { ...store.created }, animals: { ...animals } };
	};
}
