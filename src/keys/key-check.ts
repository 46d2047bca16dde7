// Finds the row of an API key, on the hot path. A cached row is trusted for less than a second, so that a revoked key
// stops working within a second on every node. Last-used times are collected here and stored every few seconds.

import { type KeyRow, type KeyRows, type KeyUse, StorageUnavailable } from "../store/store.ts";
import { hashOfKey, isWellFormedKey } from "./key-format.ts";

/** An older row is read again in the background, so that requests with busy keys never wait. */
const refreshAfterMs = 300;
const trustedForMs = 800;
const cachedMax = 10_000;
const flushEveryMs = 5_000;

export interface KeyCheck {
	/** The row of a working key, else undefined. A promise when the row must be read from the store. */
	check(key: string): KeyRow | undefined | Promise<KeyRow | undefined>;
	/** Records that an operation was called with this key. */
	noteUse(row: KeyRow, operation: string): void;
	/** Stores the last-used times that are not stored yet. */
	close(): Promise<void>;
}

interface Cached {
	row: KeyRow;
	/** On the monotonic clock, so that a jump of the wall clock extends no trust. */
	readAtMs: number;
	isRefreshing: boolean;
}

export function createKeyCheck(rows: KeyRows, now: () => number): KeyCheck {
	const cache = new Map<string, Cached>();
	let uses = new Map<string, KeyUse>();

	async function read(hash: string): Promise<KeyRow | undefined> {
		const readAtMs = performance.now();
		const row = await rows.byHash(hash);
		cache.delete(hash);
		if (!row) return undefined;
		const oldest = cache.size >= cachedMax ? cache.keys().next().value : undefined;
		if (oldest !== undefined) cache.delete(oldest);
		cache.set(hash, { row, readAtMs, isRefreshing: false });
		return row;
	}

	function refresh(entry: Cached, hash: string): void {
		entry.isRefreshing = true;
		read(hash).catch(() => {
			entry.isRefreshing = false;
		});
	}

	const ifWorking = (row: KeyRow | undefined) => (row && isWorking(row, now()) ? row : undefined);

	async function flush(): Promise<void> {
		if (uses.size === 0) return;
		const flushed = uses;
		uses = new Map();
		await rows.touch([...flushed.values()]).catch((error) => {
			if (!(error instanceof StorageUnavailable)) throw error;
			for (const use of flushed.values()) keep(use);
		});
	}

	/** Keeps a use that could not be stored, unless the key was used again since. */
	function keep(use: KeyUse): void {
		const name = nameOf(use);
		if (!uses.has(name)) uses.set(name, use);
	}
	const flusher = setInterval(() => void flush(), flushEveryMs).unref();

	return {
		check(key) {
			if (!isWellFormedKey(key)) return undefined;
			const hash = hashOfKey(key);
			const entry = cache.get(hash);
			const ageMs = entry ? performance.now() - entry.readAtMs : Number.POSITIVE_INFINITY;
			if (!entry || ageMs > trustedForMs) return read(hash).then(ifWorking);
			if (ageMs > refreshAfterMs && !entry.isRefreshing) refresh(entry, hash);
			return ifWorking(entry.row);
		},
		noteUse({ id: keyId }, operation) {
			const use = { keyId, operation, usedAtMs: now() };
			uses.set(nameOf(use), use);
		},
		async close() {
			clearInterval(flusher);
			await flush();
		},
	};
}

const nameOf = ({ keyId, operation }: KeyUse) => `${keyId} ${operation}`;

/** Whether this secret of this key is valid at `nowMs`. */
export function isWorking(row: KeyRow, nowMs: number): boolean {
	return row.revokedAtMs === undefined && (row.secret.expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs;
}
