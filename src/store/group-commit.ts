// Group commit: one disk sync serves many writers.
//
// 1. A write joins the queue. If no commit is under way, one begins at the end of the tick. It contains the writes of
//    all requests that were read in this tick.
// 2. The commit takes the oldest writes, at most 1,000 rows, as one transaction of the engine.
// 3. Writes that arrive meanwhile are the next batch, so batches are larger if the disk is slower.
// 4. Once a batch is on disk, the next commit begins, and then the callers of the batch get their results.
// 5. If a commit fails, all its writes fail: none of them was acknowledged. The next commit begins nevertheless.
// 6. A create whose commit has not begun in time is taken out of the queue and rejected: nothing of it is stored.
//    A create that would wait too long is refused before it joins the queue (`isFull`).

import { type Commit, StoreBusy, type WriteQueue } from "./store.ts";

/** The most rows that may wait: this limits the memory for waiting writes and their HTTP requests. */
export const lengthMax = 20_000;
/** The most rows of a transaction, so that it does not take too long. */
const batchMax = 1000;
/** The weight of the latest commit in the expected duration of the next one. */
const latestShare = 0.3;
/** A commit is late after this many times its expected duration. */
const latenessFactor = 2;

interface PendingWrite<Write, Result> {
	request: Write;
	/** When the write was added, on the monotonic clock. */
	sinceMs: number;
	/** The write is rejected at this time, on the monotonic clock, unless its commit has begun. */
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
	/** Whether `waitMaxMs` applies to the write, as it does to creates. If absent, it applies to every write. */
	isLimited?: (request: Write) => boolean;
	/** The number of rows in a write; 1 if absent. */
	sizeOf?: (request: Write) => number;
	onCommit?: ((commit: Commit) => void) | undefined;
}

export class GroupCommit<Write, Result> implements WriteQueue {
	readonly #commit: (batch: Write[], leftMs: number) => Promise<Timed<Result>>;
	readonly #waitMaxMs: number;
	readonly #isLimited: (request: Write) => boolean;
	readonly #sizeOf: (request: Write) => number;
	readonly #onCommit: (commit: Commit) => void;
	readonly #waiting: PendingWrite<Write, Result>[] = [];
	#committing: PendingWrite<Write, Result>[] = [];
	#waitingRows = 0;
	#committingRows = 0;
	/** Whether a commit is under way, or begins at the end of this tick. */
	#isBusy = false;
	#startedAtMs = 0;
	/** The expected duration of a commit. */
	#commitMs = 0;
	#expiry: NodeJS.Timeout | undefined;

	/**
	 * @param commit commits a batch in one transaction: resolves when the batch is on disk, rejects if it failed as a
	 * whole. `leftMs` is the longer of two times: the time that the oldest write may still wait, and the time until the
	 * commit is late.
	 */
	constructor(
		commit: (batch: Write[], leftMs: number) => Promise<Timed<Result>>,
		{ waitMaxMs = Infinity, isLimited = () => true, sizeOf = () => 1, onCommit = () => {} }: CommitOptions<Write> = {},
	) {
		this.#commit = commit;
		this.#waitMaxMs = waitMaxMs;
		this.#isLimited = isLimited;
		this.#sizeOf = sizeOf;
		this.#onCommit = onCommit;
	}

	get length(): number {
		return this.#waitingRows + this.#committingRows;
	}

	get oldestMs(): number {
		const oldest = this.#committing[0] ?? this.#waiting[0];
		return oldest ? performance.now() - oldest.sinceMs : 0;
	}

	get expectedMs(): number {
		const isCommitting = this.#committing.length > 0;
		const runningMs = isCommitting ? performance.now() - this.#startedAtMs : 0;
		const eachMs = Math.max(this.#commitMs, runningMs);
		const batchesBefore = Math.floor(this.#waitingRows / batchMax);
		return (isCommitting ? eachMs - runningMs : 0) + (batchesBefore + 1) * eachMs;
	}

	get isFull(): boolean {
		return this.#isBusy && (this.expectedMs > this.#waitMaxMs || this.length >= lengthMax);
	}

	/**
	 * Resolves when the commit with this write is on disk.
	 * @throws StoreBusy if the write has a limit and its commit did not begin in time; then nothing is stored
	 */
	write(request: Write): Promise<Result> {
		return new Promise((resolve, reject) => {
			const sinceMs = performance.now();
			const expiresAtMs = this.#isLimited(request) ? sinceMs + this.#waitMaxMs : Infinity;
			this.#waiting.push({ request, sinceMs, expiresAtMs, resolve, reject });
			this.#waitingRows += this.#sizeOf(request);
			if (this.#isBusy) return this.#expireLater();
			this.#isBusy = true;
			setImmediate(this.#commitNext);
		});
	}

	readonly #commitNext = (): void => {
		const batch = this.#takeBatch();
		this.#committing = batch;
		this.#isBusy = batch.length > 0;
		if (!this.#isBusy) return;
		const startedAtMs = performance.now();
		this.#startedAtMs = startedAtMs;
		const writes = this.#committingRows;
		const observe = (isStored: boolean, syncMs?: number) =>
			this.#onCommit({ writes, ms: performance.now() - startedAtMs, syncMs, isStored });
		const fail = (error: unknown) => {
			observe(false);
			this.#commitNext();
			for (const { reject } of batch) reject(error);
		};
		const requests = batch.map(({ request }) => request);
		const leftMs = Math.max(latenessFactor * this.#commitMs, expiryOf(batch[firstLimited(batch)]) - startedAtMs);
		void this.#commit(requests, leftMs).then(({ results, syncMs }) => {
			observe(true, syncMs);
			const tookMs = performance.now() - startedAtMs;
			this.#commitMs = this.#commitMs === 0 ? tookMs : this.#commitMs + latestShare * (tookMs - this.#commitMs);
			this.#commitNext();
			for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
		}, fail);
	};

	/** Takes the writes of the next batch, and counts their rows as committing instead of waiting. */
	#takeBatch(): PendingWrite<Write, Result>[] {
		let [writes, rows] = [0, 0];
		for (const { request } of this.#waiting) {
			const size = this.#sizeOf(request);
			if (writes > 0 && rows + size > batchMax) break;
			writes++;
			rows += size;
		}
		this.#waitingRows -= rows;
		this.#committingRows = rows;
		return this.#waiting.splice(0, writes);
	}

	/** Rejects writes that have waited too long, as happens if a commit takes longer than expected. */
	readonly #expire = (): void => {
		this.#expiry = undefined;
		const nowMs = performance.now();
		const waiting = this.#waiting;
		for (let first = firstLimited(waiting); expiryOf(waiting[first]) <= nowMs; first = firstLimited(waiting)) {
			const [{ request, reject }] = waiting.splice(first, 1) as [PendingWrite<Write, Result>];
			this.#waitingRows -= this.#sizeOf(request);
			reject(new StoreBusy(this.expectedMs));
		}
		this.#expireLater();
	};

	#expireLater(): void {
		if (this.#expiry || this.#waitMaxMs === Infinity) return;
		const nextMs = expiryOf(this.#waiting[firstLimited(this.#waiting)]);
		if (nextMs < Infinity) this.#expiry = setTimeout(this.#expire, Math.max(1, nextMs - performance.now() + 1)).unref();
	}
}

type Expiring = Pick<PendingWrite<unknown, unknown>, "expiresAtMs">;

const expiryOf = (write: Expiring | undefined) => write?.expiresAtMs ?? Infinity;
/** The index of the write that expires first; -1 if no write has a limit. */
const firstLimited = (writes: Expiring[]) => writes.findIndex(({ expiresAtMs }) => expiresAtMs < Infinity);
