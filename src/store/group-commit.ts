// Group commit: one batch of writes is under way at a time, and what arrives meanwhile becomes the next one, so that
// one sync of the disk serves many writers. Both engines keep their writes this way.

import type { Created, CreatedCount } from "./store.ts";

/** Bounds the time that one transaction takes. */
const batchMax = 1000;

export interface GroupCommit<Write, Result> {
	/** Resolves after the commit that holds this write is on disk. */
	write(request: Write): Promise<Result>;
	/** Writes that wait for their commit. */
	readonly length: number;
	readonly created: CreatedCount;
}

interface Waiting<Write, Result> {
	request: Write;
	resolve(result: Result): void;
	reject(reason: unknown): void;
}

/**
 * @param commit makes a batch one transaction; resolves once it is on disk, rejects when none of it was acknowledged
 */
export function groupCommit<Write, Result>(commit: (batch: Write[]) => Promise<Result[]>): GroupCommit<Write, Result> {
	const waiting: Waiting<Write, Result>[] = [];
	let committing: Waiting<Write, Result>[] = [];
	const created: CreatedCount = { animals: 0, batches: 0 };

	function count(made: Created[]): void {
		created.animals += made.length;
		if (made.length > 0) created.batches++;
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
			const made = (results as unknown[]).filter(isMade);
			if (results.length !== batch.length) return fail(new Error("a batch has one result for each request"));
			if (!ascends(made)) return fail(new Error("the ids of a batch ascend"));
			commitNext();
			count(made);
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

function isMade(result: unknown): result is Created {
	return (result as Created | undefined)?.outcome === "created";
}

function ascends(made: Created[]): boolean {
	return made.every(({ id }, index) => index === 0 || id > (made[index - 1]?.id ?? id));
}
