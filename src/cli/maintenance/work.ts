// Work on a store that only commands do, even if the service starts them (store/command-process.ts): closing a second
// descriptor of a file in the service's process would release that file's locks. This file chooses the engine.

import { isPostgres, pathOf } from "../../store/open.ts";
import { StoreRefused } from "../../store/store.ts";
import type { WriteLock } from "./sqlite.ts";

const engineOf = (databaseUrl: string) => (isPostgres(databaseUrl) ? import("./postgres.ts") : import("./sqlite.ts"));

/**
 * Erases from a store the names that edits have replaced so far, and records the time in the audit log.
 * @returns false if other processes prevent it now, or if the server does not report what is left
 * @throws StoreRefused, StorageUnavailable
 */
export async function eraseNames(databaseUrl: string, now: () => number): Promise<boolean> {
	return (await engineOf(databaseUrl)).eraseNames(databaseUrl, now);
}

/**
 * Must be called before this process opens the store.
 * @param work the work that needs the service to be stopped, for the message
 * @throws StoreRefused if a service has the store open
 */
export async function refuseOpenStore(databaseUrl: string, work: string): Promise<void> {
	return (await engineOf(databaseUrl)).refuseOpenStore(databaseUrl, work);
}

/** Locks a store, which this process may have open, against all present and future writers. @throws StoreRefused */
export async function lockWrites(databaseUrl: string): Promise<WriteLock> {
	return (await engineOf(databaseUrl)).lockWrites(databaseUrl);
}

/** The file of a SQLite store. @throws StoreRefused that names PostgreSQL's own tools for the work */
export function fileOf(databaseUrl: string, tools: string): string {
	if (isPostgres(databaseUrl)) throw new StoreRefused(`PostgreSQL has its own tools: use ${tools}`);
	return pathOf(databaseUrl);
}
