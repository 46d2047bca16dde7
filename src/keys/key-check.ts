// Finds the row of an API key for each request. A cached row is used for less than a second, and not on a new timeline
// of the store, so a revoked key stops working within a second on every node. Last uses are stored every 5 seconds.

import type { Background, KeyRow, KeyRows, KeyUse } from "../store/store.ts";
import { hashOfKey, isWellFormedKey, keyLength } from "./formats.ts";

/** An older row is read again in the background, so that requests with frequently used keys never wait. */
const refreshAfterMs = 300;
const trustedForMs = 800;
const cachedMax = 10_000;
const flushEveryMs = 5_000;

interface Entry {
	row: KeyRow | undefined;
	timeline: string | undefined;
	readAtMs: number;
	isRefreshing: boolean;
}

export type KeyCheck = ReturnType<typeof createKeyCheck>;

/** @param now milliseconds since 1970 */
export function createKeyCheck(rows: KeyRows, now: () => number, background: Background) {
	/** Rows by hash. `readAtMs` is on the monotonic clock, because a jump of the wall clock must not extend the trust. */
	const cache = new Map<string, Entry>();
	/**
	 * Hashes of unknown keys, in a cache of their own so that they evict no key. They are cached so that the time of a
	 * reply does not show whether a key is unknown or revoked, and so that repeats of an unknown key are cheap.
	 */
	const absent = new Map<string, Entry>();
	/** Last uses that are not stored yet, in milliseconds since 1970, by operation and key id. */
	const uses = new Map<string, Map<string, number>>();

	async function read(hash: string): Promise<KeyRow | undefined> {
		const readAtMs = performance.now();
		const row = await rows.findByHash(hash);
		cache.delete(hash);
		absent.delete(hash);
		const entries = row ? cache : absent;
		const oldest = entries.size >= cachedMax ? entries.keys().next().value : undefined;
		if (oldest !== undefined) entries.delete(oldest);
		entries.set(hash, { row, timeline: row ? row.timeline : rows.timeline, readAtMs, isRefreshing: false });
		return ifWorking(row);
	}

	function refresh(entry: { isRefreshing: boolean }, hash: string): void {
		entry.isRefreshing = true;
		void read(hash).catch(() => {
			entry.isRefreshing = false;
		});
	}

	const ifWorking = (row: KeyRow | undefined) => (row && isWorking(row, now()) ? row : undefined);

	/** Stores the uses. Those that cannot be stored are kept for the next flush. */
	async function flush(): Promise<void> {
		const list = [...uses].flatMap(([operation, byKey]) =>
			[...byKey].map(([keyId, usedAtMs]): KeyUse => ({ keyId, operation, usedAtMs })),
		);
		if (list.length === 0) return;
		await rows.touch(list);
		for (const { keyId, operation, usedAtMs } of list) {
			const byKey = uses.get(operation);
			if (byKey?.get(keyId) === usedAtMs) byKey.delete(keyId);
		}
	}
	const stopFlushing = background.repeat("key use", flushEveryMs, flush);

	return {
		/** The row of a working key, else undefined. A promise when the row must be read from the store. */
		check(key: string): KeyRow | undefined | Promise<KeyRow | undefined> {
			// Only texts of this length are hashed, because a header may have 16 KiB.
			if (key.length !== keyLength) return undefined;
			const hash = hashOfKey(key);
			const entry = cache.get(hash) ?? absent.get(hash);
			// The checksum detects typos without a lookup. It is checked only here, because most keys are cached.
			if (!entry && !isWellFormedKey(key)) return undefined;
			const ageMs = entry ? performance.now() - entry.readAtMs : Number.POSITIVE_INFINITY;
			if (!entry || ageMs > trustedForMs || entry.timeline !== rows.timeline) return read(hash);
			if (ageMs > refreshAfterMs && !entry.isRefreshing) refresh(entry, hash);
			return ifWorking(entry.row);
		},
		/** Records that an operation was called with this key. */
		noteUse({ id }: KeyRow, operation: string): void {
			const byKey = uses.get(operation);
			if (byKey) byKey.set(id, now());
			else uses.set(operation, new Map([[id, now()]]));
		},
		/** Stores the last-used times that are not stored yet, if the store is available. */
		async close(): Promise<void> {
			await stopFlushing();
			await background.run("key use", flush);
		},
	};
}

/** Whether the row's key is not revoked and the row's secret has not expired at `nowMs`. */
export function isWorking(row: KeyRow, nowMs: number): boolean {
	return row.revokedAtMs === undefined && (row.secret.expiresAtMs ?? Number.POSITIVE_INFINITY) > nowMs;
}
