// Converts SQLite's error codes to the errors of the Store, and waits for the write lock while another process commits.

import { StorageUnavailable } from "../store.ts";
import { busyTimeoutMs } from "./file.ts";

/** Failures that time or an operator can fix become `StorageUnavailable`. All others are bugs and stay unchanged. */
export function toStoreError(error: unknown): unknown {
	const { code = "", message = "" } = error as NodeJS.ErrnoException;
	const isStorage = /^SQLITE_(FULL|IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB)/.test(code);
	return isStorage ? new StorageUnavailable(`${code}: ${message}`) : error;
}

/** Whether a sync failed. After that, no write is safe, even if later syncs work: the kernel may have dropped data. */
export function isFailedSync({ code }: { code: string }): boolean {
	return /^SQLITE_IOERR_(DIR_)?FSYNC/.test(code);
}

/** The pause between tries. It is shorter than a commit, so that processes that commit all the time take turns. */
const pollMs = 0.25;
/** The shortest wait before giving up: within this time, each of several processes gets its turn. */
const waitMinMs = 100;
const cell = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs a transaction once no other process writes. SQLite's own wait would sleep up to 100 ms between tries, and other
 * processes would take the lock meanwhile. Blocks the thread. @throws SQLITE_BUSY after `maxMs`, 5 seconds at most
 */
export function waitForLock<Result>(transaction: () => Result, maxMs = busyTimeoutMs): Result {
	const giveUpAtMs = performance.now() + Math.min(busyTimeoutMs, Math.max(waitMinMs, maxMs));
	for (;;) {
		try {
			return transaction();
		} catch (error) {
			const isLocked = (error as NodeJS.ErrnoException).code === "SQLITE_BUSY";
			if (!isLocked || performance.now() >= giveUpAtMs) throw error;
		}
		Atomics.wait(cell, 0, 0, pollMs);
	}
}
