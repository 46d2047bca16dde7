// Finds the row of an API key, on the hot path. A cached row is trusted for less than a second, so that a revoked key
// stops working within a second on every node, and only while the store has the history that the row is from.
// Last-used times are collected here and stored every few seconds.

import type { Background, KeyRow, KeyRows, KeyUse } from "../store/store.ts";
import { hashOfKey, isWellFormedKey } from "./formats.ts";

/** An older row is read again in the background, so that requests with busy keys never wait. */
const refreshAfterMs = 300;
const trustedForMs = 800;
const cachedMax = 10_000;
const flushEveryMs = 5_000;

export interface KeyCheck {
	/** The hash of a key, undefined if the text has not the format of one. */
	hashOf(key: string): string | undefined;
	/** The row of a working key with this hash, else undefined. A promise when the row must be read from the store. */
	check(hash: string): KeyRow | undefined | Promise<KeyRow | undefined>;
	/** Records that an operation was called with this key. */
	noteUse(row: KeyRow, operation: string): void;
	/** Stores the last-used times that are not stored yet, if the store takes them. */
	close(): Promise<void>;
}

interface Cached {
	row: KeyRow;
	/** Before its snapshot began; on the monotonic clock, so that a jump of the wall clock extends no trust. */
	readAtMs: number;
	isRefreshing: boolean;
}

export function createKeyCheck(rows: KeyRows, now: () => number, background: Background): KeyCheck {
	const cache = new Map<string, Cached>();
	/** The last use in milliseconds since 1970, by operation and key id. */
	let uses = new Map<string, Map<string, number>>();

	/** @returns the row if it works */
	async function read(hash: string): Promise<KeyRow | undefined> {
		const readAtMs = performance.now();
		const row = await rows.findByHash(hash);
		cache.delete(hash);
		// Not kept: the text of a key can exist before the key does, and then works at once.
		if (!row) return undefined;
		const oldest = cache.size >= cachedMax ? cache.keys().next().value : undefined;
		if (oldest !== undefined) cache.delete(oldest);
		cache.set(hash, { row, readAtMs, isRefreshing: false });
		return ifWorking(row);
	}

	function refresh(entry: Cached, hash: string): void {
		entry.isRefreshing = true;
		void read(hash).catch(() => {
			entry.isRefreshing = false;
		});
	}

	const ifWorking = (row: KeyRow) => (isWorking(row, now()) ? row : undefined);

	async function flush(): Promise<void> {
		if (uses.size === 0) return;
		const flushed = uses;
		uses = new Map();
		const list = [...flushed].flatMap(([operation, byKey]) =>
			[...byKey].map(([keyId, usedAtMs]): KeyUse => ({ keyId, operation, usedAtMs })),
		);
		try {
			await rows.touch(list);
		} catch (error) {
			// Stored by the next flush, unless the key was used again since.
			for (const { operation, keyId, usedAtMs } of list) {
				if (!usesOf(operation).has(keyId)) usesOf(operation).set(keyId, usedAtMs);
			}
			throw error;
		}
	}

	function usesOf(operation: string): Map<string, number> {
		const byKey = uses.get(operation) ?? new Map<string, number>();
		uses.set(operation, byKey);
		return byKey;
	}
	const stopFlushing = background.repeat("key use", flushEveryMs, flush);

	return {
		hashOf: (key) => (isWellFormedKey(key) ? hashOfKey(key) : undefined),
		check(hash) {
			const entry = cache.get(hash);
			const ageMs = entry ? performance.now() - entry.readAtMs : Number.POSITIVE_INFINITY;
			if (!entry || ageMs > trustedForMs || entry.row.history !== rows.history) return read(hash);
			if (ageMs > refreshAfterMs && !entry.isRefreshing) refresh(entry, hash);
			return ifWorking(entry.row);
		},
		noteUse({ id }, operation) {
			usesOf(operation).set(id, now());
		},
		async close() {
			await stopFlushing();
			await background.run("key use", flush);
		},
	};
}

/** Whether this secret of this key is valid at `nowMs`. */
export function isWorking(row: KeyRow, nowMs: number): boolean {
	return row.revokedAtMs === undefined && (row.secret.expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs;
}
