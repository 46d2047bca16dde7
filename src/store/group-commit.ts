// Group commit: only one batch of writes is committed at a time. Writes that arrive meanwhile form the next batch, so
// that one disk sync serves many writers. If none is committed, a batch is the writes of a turn of the event loop.

import { type Commit, StoreBusy, type WriteQueue } from "./store.ts";

/** Limits the memory for waiting writes and their HTTP requests. */
export const lengthMax = 20_000;
/** Limits the duration of one transaction. */
const batchMax = 1000;
/** The share of the latest commit in the expected duration of the next one. */
const latestShare = 0.3;
/** A commit that takes this much longer than the latest ones is late. */
const latenessFactor = 2;

interface PendingWrite<Write, Result> {
	request: Write;
	/** When it was added, on the monotonic clock. */
	sinceMs: number;
	/** When it is rejected, on the same clock, unless its commit has begun. */
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
	onCommit?: ((commit: Commit) => void) | undefined;
}

/**
 * @param commit commits a batch in one transaction: resolves when it is on disk, rejects if none was acknowledged.
 * `leftMs` is how long the oldest of its writes may still wait, but at least what a commit should take.
 */
export function createGroupCommit<Write, Result>(
	commit: (batch: Write[], leftMs: number) => Promise<Timed<Result>>,
	{ waitMaxMs = Infinity, isLimited = () => true, onCommit = () => {} }: CommitOptions<Write> = {},
) {
	const waiting: PendingWrite<Write, Result>[] = [];
	let committing: PendingWrite<Write, Result>[] = [];
	/** A commit is under way, or begins at the end of this turn. */
	let isBusy = false;
	/** When the commit under way began. */
	let startedAtMs = 0;
	/** The expected duration of a commit. */
	let commitMs = 0;
	let expiry: NodeJS.Timeout | undefined;

	function commitNext(): void {
		const batch = waiting.splice(0, batchMax);
		committing = batch;
		isBusy = batch.length > 0;
		if (!isBusy) return;
		startedAtMs = performance.now();
		const observe = (isStored: boolean, syncMs?: number) =>
			onCommit({ writes: batch.length, ms: performance.now() - startedAtMs, syncMs, isStored });
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

	/** Rejects what has waited too long, when a commit takes longer than expected. */
	function expire(): void {
		expiry = undefined;
		const nowMs = performance.now();
		for (let first = firstLimited(waiting); expiryOf(waiting[first]) <= nowMs; first = firstLimited(waiting))
			waiting.splice(first, 1)[0]?.reject(new StoreBusy(queue.expectedMs));
		expireLater();
	}
	function expireLater(): void {
		if (expiry || waitMaxMs === Infinity) return;
		const nextMs = expiryOf(waiting[firstLimited(waiting)]);
		if (nextMs < Infinity) expiry = setTimeout(expire, Math.max(1, nextMs - performance.now() + 1)).unref();
	}

	const queue: WriteQueue = {
		get length() {
			return waiting.length + committing.length;
		},
		get oldestMs() {
			const oldest = committing[0] ?? waiting[0];
			return oldest ? performance.now() - oldest.sinceMs : 0;
		},
		get expectedMs() {
			const runningMs = committing.length > 0 ? performance.now() - startedAtMs : 0;
			const eachMs = Math.max(commitMs, runningMs);
			const batchesBefore = Math.floor(waiting.length / batchMax);
			return (committing.length > 0 ? eachMs - runningMs : 0) + (batchesBefore + 1) * eachMs;
		},
		get isFull() {
			return isBusy && (queue.expectedMs > waitMaxMs || queue.length >= lengthMax);
		},
	};

	return {
		/**
		 * Resolves when the commit with this write is on disk.
		 * @throws StoreBusy if it has a limit and that commit did not begin within it; nothing is stored then
		 */
		write: (request: Write) =>
			new Promise<Result>((resolve, reject) => {
				const sinceMs = performance.now();
				const expiresAtMs = isLimited(request) ? sinceMs + waitMaxMs : Infinity;
				waiting.push({ request, sinceMs, expiresAtMs, resolve, reject });
				if (isBusy) return expireLater();
				isBusy = true;
				setImmediate(commitNext);
			}),
		queue,
	};
}

type Expiring = Pick<PendingWrite<unknown, unknown>, "expiresAtMs">;

const expiryOf = (write: Expiring | undefined) => write?.expiresAtMs ?? Infinity;
/** The place of the one that expires first; -1 if none has a limit. */
const firstLimited = (writes: Expiring[]) => writes.findIndex(({ expiresAtMs }) => expiresAtMs < Infinity);
