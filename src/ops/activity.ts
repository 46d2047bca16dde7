// The figures that the console plots: counters of this node, now and over the last hour, and the animals by status.

import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { Activity, Moment } from "../contract/activity.ts";
import type { PetStatus } from "../contract/pet.ts";
import type { Store } from "../store/store.ts";
import type { Metrics } from "./metrics.ts";

/** Small enough to delay other reads by one or two milliseconds only. */
const countBatch = 5_000;
const editBatch = 1_000;
/** How long a reply waits for the first count. */
const firstCountMs = 100;
const historyEveryMs = 20_000;
const historyMax = 3_600_000 / historyEveryMs;

export interface ActivityWatch {
	/**
	 * @param known the nodes whose history the caller has
	 * @throws StorageUnavailable
	 */
	read(known: string[]): Promise<Activity>;
	/** The animals by status, of the whole store. @throws StorageUnavailable */
	animals(): Promise<Activity["animals"]>;
	close(): void;
}

export function watchActivity(options: {
	store: Store;
	metrics: Pick<Metrics, "replies" | "upToMs">;
	node: string;
}): ActivityWatch {
	const { store, metrics, node } = options;
	const count = createCount(store);
	const history: Moment[] = [];
	let total: number | undefined;

	async function countTotal(): Promise<Activity["animals"]> {
		const animals = await count.animals();
		const { available, pending, sold, none, isComplete } = animals;
		if (isComplete) total = available + pending + sold + none;
		return animals;
	}
	function moment(): Moment {
		const counts = {
			uptimeMs: Math.round(process.uptime() * 1000),
			replies: metrics.replies(),
			creates: { ...store.created },
		};
		return { ...counts, ...(total !== undefined && { animals: total }) };
	}
	async function record(): Promise<void> {
		// The first count of a large store takes long: not before somebody looks.
		if (total !== undefined) await countTotal().catch(() => {});
		history.push(moment());
		if (history.length > historyMax) history.shift();
	}
	const recorder = setInterval(record, historyEveryMs).unref();

	return {
		async read(known) {
			const animals = await countTotal();
			const past = known.includes(node) ? {} : { history: [...history] };
			return { node, upToMs: metrics.upToMs, now: moment(), ...past, animals, edits: count.edits() };
		},
		animals: countTotal,
		close: () => clearInterval(recorder),
	};
}

interface Count {
	animals(): Promise<Activity["animals"]>;
	/** The number of edits that the latest count includes. */
	edits(): number;
}

/** Each animal is counted once: a later count reads only new ones, and the edits of those already counted. */
function createCount(store: Store): Count {
	const animals = { available: 0, pending: 0, sold: 0, none: 0, isComplete: false };
	let countedTo = 0n;
	let editedTo = 0n;
	let latest = Promise.resolve();
	/** Begins when the latest count ends, which may have read before this one was asked for. */
	let next: Promise<void> | undefined;

	/** Applies the edits of counted animals. Those of other animals are in the counts that are read later. */
	async function applyEdits(lastEdit: bigint): Promise<void> {
		while (editedTo < lastEdit) {
			const edits = await store.edits.list(editedTo, editBatch);
			if (edits.length === 0) return;
			for (const { id, petId, action, fromStatus, toStatus } of edits) {
				if (id > lastEdit) break;
				editedTo = id;
				if (petId > countedTo || action === "rename") continue;
				animals[fromStatus ?? "none"]--;
				if (action === "set-status") animals[toStatus ?? "none"]++;
			}
			await turn();
		}
	}

	async function countNew(): Promise<void> {
		for (;;) {
			const { counts, lastId, lastEdit } = await store.countPets(countedTo, countBatch);
			if (countedTo === 0n) editedTo = lastEdit;
			await applyEdits(lastEdit);
			if (lastId === undefined) break;
			countedTo = lastId;
			for (const [status, count] of Object.entries(counts)) animals[status as PetStatus] += count;
			await turn();
		}
		animals.isComplete = true;
	}

	return {
		async animals() {
			next ??= latest.then(() => {
				next = undefined;
				const counting = countNew();
				latest = counting.catch(() => {});
				return counting;
			});
			const counting = next;
			counting.catch(() => {}); // A caller that awaits it still gets the error.
			// The first count of a large store takes long.
			await (animals.isComplete ? counting : Promise.race([counting, sleep(firstCountMs)]));
			return { ...animals };
		},
		edits: () => Number(editedTo),
	};
}
