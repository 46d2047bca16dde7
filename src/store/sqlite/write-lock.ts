// Waiting for SQLite's write lock while another process of the store commits.

import type Database from "better-sqlite3";
import { busyTimeoutMs } from "./file.ts";

/** A fraction of a commit, so that processes that commit all the time take turns. */
const pollMs = 0.25;
/** Processes that take turns get theirs within it, however late a write is. */
const waitMinMs = 100;
const cell = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs a transaction when no other process writes. SQLite's own waiting sleeps for up to 100 ms, so most of the time
 * nobody would write, and others would overtake. Blocks the thread.
 * @throws SQLITE_BUSY after `maxMs`, 5 seconds at most
 */
export function waitForLock<Result>(
	database: Database.Database,
	transaction: () => Result,
	maxMs = busyTimeoutMs,
): Result {
	const giveUpAtMs = performance.now() + Math.min(busyTimeoutMs, Math.max(waitMinMs, maxMs));
	database.pragma("busy_timeout = 0");
	try {
		for (;;) {
			try {
				return transaction();
			} catch (error) {
				const isLocked = (error as NodeJS.ErrnoException).code === "SQLITE_BUSY";
				if (!isLocked || performance.now() >= giveUpAtMs) throw error;
			}
			Atomics.wait(cell, 0, 0, pollMs);
		}
	} finally {
		database.pragma(`busy_timeout = ${busyTimeoutMs}`);
	}
}
