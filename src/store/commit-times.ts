// Measures the commits of both engines.

import type { CommitBatch } from "./group-commit.ts";
import type { Commit } from "./store.ts";

/** The time that an engine spent waiting for the disk, if it can tell. */
export interface Timed<Result> {
	results: Result[];
	syncMs?: number | undefined;
}

/** @returns `commit`, which reports each batch to `onCommit` */
export function observeCommits<Write, Result>(
	commit: (batch: Write[], leftMs: number) => Promise<Timed<Result>>,
	onCommit: (commit: Commit) => void = () => {},
): CommitBatch<Write, Result> {
	return async (batch, leftMs) => {
		const startedAtMs = performance.now();
		const observe = (isStored: boolean, syncMs?: number) =>
			onCommit({ writes: batch.length, ms: performance.now() - startedAtMs, syncMs, isStored });
		try {
			const { results, syncMs } = await commit(batch, leftMs);
			observe(true, syncMs);
			return results;
		} catch (error) {
			observe(false);
			throw error;
		}
	};
}
