// Group commit: one batch of writes is committed at a time. Writes that arrive during a commit form the next batch, so
// that one disk sync serves many writers. If no commit is under way, a batch is the writes of one tick.

import { type Commit, StoreBusy, type WriteQueue } from "./store.ts";

/** Limits the memory for waiting writes and their HTTP requests. */
export const lengthMax = 20_000;
/** The most rows of a transaction, which limits its duration. */
const batchMax = 1000;
/** The weight of the latest commit in the expected duration of the next one. */
const latestShare = 0.3;
/** A commit that takes this much longer than the latest ones is late. */
const latenessFactor = 2;

interface PendingWrite<Write, Result> {
	request: Write;
	/** When it was added, on the monotonic clock. */
	sinceMs: number;
	/** When it is rejected, on the same clock, unless its commit has begun by then. */
	expiresAtMs: number;
	resolve(result: Result): void;
	reject(reason: unknown): void;
}

/** The results of a batch, one for each request, and how long the engine waited for the disk, if that is known. */
export interface Timed<Result> {
	results: Result[];
	syncMs?: number;
}

interface CommitOptions<Write> {
	/** How long a write that has a limit may wait until its commit begins. */
	waitMaxMs?: number | undefined;
	/** Background writes have no limit. */
	isLimited?: (request: Write) => boolean;
	/** The number of rows in a write; 1 if absent. */
	sizeOf?: (request: Write) => number;
	onCommit?: ((commit: Commit) => void) | undefined;
}

/**
 * @param commit commits a batch in one transaction: resolves when it is on disk, rejects if none was acknowledged.
 * `leftMs` is how long the oldest of its writes may still wait, but at least what a commit should take.
 */
export function createGroupCommit<Write, Result>(
	commit: (batch: Write[], leftMs: number) => Promise<Timed<Result>>,
	{ waitMaxMs = Infinity, isLimited = () => true, sizeOf = () => 1, onCommit = () => {} }: CommitOptions<Write> = {},
) {
	const waiting: PendingWrite<Write, Result>[] = [];
	let committing: PendingWrite<Write, Result>[] = [];
	let [waitingRows, committingRows] = [0, 0];
	/** A commit is under way, or begins at the end of this tick. */
	let isBusy = false;
	let startedAtMs = 0;
	/** The expected duration of a commit. */
	let commitMs = 0;
	let expiry: NodeJS.Timeout | undefined;

	function commitNext(): void {
		const batch = waiting.splice(0, nextBatch());
		committing = batch;
		isBusy = batch.length > 0;
		if (!isBusy) return;
		startedAtMs = performance.now();
		const rows = committingRows;
		const observe = (isStored: boolean, syncMs?: number) =>
			onCommit({ writes: rows, ms: performance.now() - startedAtMs, syncMs, isStored });
		const fail = (error: unknown) => {
			observe(false);
			commitNext();
			for (const { reject } of batch) reject(error);
		};
		const requests = batch.map(({ request }) => request);
		const leftMs = Math.max(latenessFactor * commitMs, expiryOf(batch[firstLimited(batch)]) - startedAtMs);
		void commit(requests, leftMs).then(({ results, syncMs }) => {
			observe(true, syncMs);
			const tookMs = performance.now() - startedAtMs;
			commitMs = commitMs === 0 ? tookMs : commitMs + latestShare * (tookMs - commitMs);
			commitNext();
			for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
		}, fail);
	}

	/** @returns the number of writes in the next batch; their rows no longer count as waiting */
	function nextBatch(): number {
		let [writes, rows] = [0, 0];
		for (const { request } of waiting) {
			const size = sizeOf(request);
			if (writes > 0 && rows + size > batchMax) break;
			writes++;
			rows += size;
		}
		waitingRows -= rows;
		committingRows = rows;
		return writes;
	}

	function rejectAt(place: number): void {
		for (const { request, reject } of waiting.splice(place, 1)) {
			waitingRows -= sizeOf(request);
			reject(new StoreBusy(queue.expectedMs));
		}
	}

	/** Rejects writes that have waited too long because a commit takes longer than expected. */
	function expire(): void {
		expiry = undefined;
		const nowMs = performance.now();
		for (let first = firstLimited(waiting); expiryOf(waiting[first]) <= nowMs; first = firstLimited(waiting))
			rejectAt(first);
		expireLater();
	}
	function expireLater(): void {
		if (expiry || waitMaxMs === Infinity) return;
		const nextMs = expiryOf(waiting[firstLimited(waiting)]);
		if (nextMs < Infinity) expiry = setTimeout(expire, Math.max(1, nextMs - performance.now() + 1)).unref();
	}

	const queue: WriteQueue = {
		get length() {
			return waitingRows + committingRows;
		},
		get oldestMs() {
			const oldest = committing[0] ?? waiting[0];
			return oldest ? performance.now() - oldest.sinceMs : 0;
		},
		get expectedMs() {
			const runningMs = committing.length > 0 ? performance.now() - startedAtMs : 0;
			const eachMs = Math.max(commitMs, runningMs);
			const batchesBefore = Math.floor(waitingRows / batchMax);
			return (committing.length > 0 ? eachMs - runningMs : 0) + (batchesBefore + 1) * eachMs;
		},
		get isFull() {
			return isBusy && (queue.expectedMs > waitMaxMs || queue.length >= lengthMax);
		},
	};

	return {
		/**
		 * Resolves when the commit with this write is on disk.
		 * @throws StoreBusy if the write has a limit and its commit did not begin within it; then nothing is stored
		 */
		write: (request: Write) =>
			new Promise<Result>((resolve, reject) => {
				const sinceMs = performance.now();
				const expiresAtMs = isLimited(request) ? sinceMs + waitMaxMs : Infinity;
				waiting.push({ request, sinceMs, expiresAtMs, resolve, reject });
				waitingRows += sizeOf(request);
				if (isBusy) return expireLater();
				isBusy = true;
				setImmediate(commitNext);
			}),
		queue,
	};
}

type Expiring = Pick<PendingWrite<unknown, unknown>, "expiresAtMs">;

const expiryOf = (write: Expiring | undefined) => write?.expiresAtMs ?? Infinity;
/** The index of the write that expires first; -1 if none has a limit. */
const firstLimited = (writes: Expiring[]) => writes.findIndex(({ expiresAtMs }) => expiresAtMs < Infinity);
