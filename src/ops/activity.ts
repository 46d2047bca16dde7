// The console's figures: this node's replies per minute and their p95, kept in memory only, and the animals of the
// whole store by status, which are also a metric.

import { setTimeout as sleep, setImmediate as tick } from "node:timers/promises";
import type { Minute, Totals } from "../contract/console.ts";
import type { PetStatus } from "../contract/pet.ts";
import type { Store } from "../store/store.ts";
import type { Metrics } from "./metrics.ts";

const minutesMax = 180;

export function watchActivity({ operationTimes: times }: Pick<Metrics, "operationTimes">) {
	const past: Minute[] = [];
	const present = (): Minute =>
		times.count === 0 ? { replies: 0 } : { replies: times.count, p95Ms: times.percentile(95) / 1000 };
	const recorder = setInterval(() => {
		past.push(present());
		times.reset();
		if (past.length >= minutesMax) past.shift();
	}, 60_000).unref();
	/** `minutes`: since the start, at most the newest 180, oldest first; the last minute is not over. */
	return { minutes: () => [...past, present()], close: () => clearInterval(recorder) };
}

/** Small batches: each batch delays other reads by only one or two milliseconds. */
const countBatch = 5_000;
const editBatch = 1_000;
/** How long a reply waits for the first count. */
const firstCountMs = 100;

/**
 * Each animal is counted once: a later count reads only new animals, and the edits of animals already counted. When the
 * store's timeline changes, the count starts again.
 */
export function watchTotals(store: Store) {
	const noAnimals: Totals = { available: 0, pending: 0, sold: 0, none: 0, isComplete: false };
	const animals = { ...noAnimals };
	let countedTimeline: string | undefined;
	let countedTo = 0n;
	let editedTo = 0n;
	let latest = Promise.resolve();
	/** The next count begins when the latest ends: the latest may have read animals before the next was requested. */
	let next: Promise<void> | undefined;

	/** Applies the edits of animals already counted. Animals not yet counted are counted later, with their edits. */
	async function applyEdits(lastEdit: bigint): Promise<void> {
		while (editedTo < lastEdit) {
			const edits = await store.edits.list(editedTo, editBatch, countedTimeline);
			if (edits.length === 0) return;
			for (const { id, petId, action, fromStatus, toStatus } of edits) {
				if (id > lastEdit) break;
				editedTo = id;
				if (petId > countedTo || action === "rename" || action === "set-category") continue;
				animals[fromStatus ?? "none"]--;
				if (action === "set-status") animals[toStatus ?? "none"]++;
			}
			await tick();
		}
	}

	async function countNew(): Promise<void> {
		for (;;) {
			const { counts, lastId, version } = await store.countPets(countedTo, countBatch);
			const { lastEdit, timeline } = version;
			if (timeline !== countedTimeline) {
				countedTimeline = timeline;
				countedTo = 0n;
				Object.assign(animals, noAnimals);
				continue;
			}
			if (countedTo === 0n) editedTo = lastEdit;
			await applyEdits(lastEdit);
			if (lastId === undefined) break;
			countedTo = lastId;
			for (const [status, count] of Object.entries(counts)) animals[status as PetStatus] += count;
			await tick();
		}
		animals.isComplete = true;
	}

	return {
		/** @throws StorageUnavailable */
		async animals(): Promise<Totals> {
			next ??= latest.then(() => {
				next = undefined;
				return countNew();
			});
			const counting = next;
			latest = counting.catch(() => {}); // The callers get the error; the next count tries again.
			// The first count of a large store takes a long time.
			await (animals.isComplete ? counting : Promise.race([counting, sleep(firstCountMs)]));
			return { ...animals };
		},
		/** The number of edits that the latest count includes. */
		edits: () => Number(editedTo),
	};
}
