// Group commit: only one batch of writes is committed at a time. Writes that arrive meanwhile form the next batch, so
// that one disk sync serves many writers. Both engines use it.

import type { CreatedCount, CreateResult } from "./store.ts";

/** Limits the duration of one transaction. */
const batchMax = 1000;

export interface GroupCommit<Write, Result> {
	/** Resolves when the commit with this write is on disk. */
	write(request: Write): Promise<Result>;
	/** Number of writes that wait for their commit. */
	readonly length: number;
	readonly created: CreatedCount;
}

interface PendingWrite<Write, Result> {
	request: Write;
	resolve(result: Result): void;
	reject(reason: unknown): void;
}

/** @param commit commits a batch in one transaction; resolves when it is on disk, rejects if none was acknowledged */
export function createGroupCommit<Write, Result>(
	commit: (batch: Write[]) => Promise<Result[]>,
): GroupCommit<Write, Result> {
	const waiting: PendingWrite<Write, Result>[] = [];
	let committing: PendingWrite<Write, Result>[] = [];
	const created: CreatedCount = { animals: 0, batches: 0 };

	function countCreated(pets: CreateResult[]): void {
		created.animals += pets.length;
		if (pets.length > 0) created.batches++;
	}

	function commitNext(): void {
		const batch = waiting.splice(0, batchMax);
		committing = batch;
		if (batch.length === 0) return;
		const fail = (error: unknown) => {
			commitNext();
			for (const { reject } of batch) reject(error);
		};
		commit(batch.map(({ request }) => request)).then((results) => {
			const pets = (results as unknown[]).filter(isCreated);
			if (results.length !== batch.length) return fail(new Error("a batch must have one result for each request"));
			if (!isAscending(pets)) return fail(new Error("the ids of a batch must ascend"));
			commitNext();
			countCreated(pets);
			for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
		}, fail);
	}

	return {
		write: (request) =>
			new Promise((resolve, reject) => {
				waiting.push({ request, resolve, reject });
				if (committing.length === 0) commitNext();
			}),
		created,
		get length() {
			return waiting.length + committing.length;
		},
	};
}

function isCreated(result: unknown): result is CreateResult {
	return (result as CreateResult | undefined)?.outcome === "created";
}

function isAscending(pets: CreateResult[]): boolean {
	return pets.every(({ id }, index) => index === 0 || id > (pets[index - 1]?.id ?? id));
}
