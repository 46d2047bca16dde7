// Work on the files of a store that only commands do, also when the service starts it (store/command-process.ts):
// closing a second descriptor of a file in the service's process would end the locks of its first one.

import { isPostgres, pathOf } from "../../store/open.ts";
import { StoreRefused } from "../../store/store.ts";
import type { LongWork } from "../long-work.ts";
import type { RestoreOptions } from "./backup.ts";
import type { WriteLock } from "./lock-sqlite.ts";
import type { StoreReport } from "./verify.ts";

/** See `backupSqlite`. */
export async function backupStore(databaseUrl: string, to: string, work: LongWork): Promise<number> {
	const file = fileOf(databaseUrl, "pg_dump or pg_basebackup");
	const { backupSqlite } = await import("./backup.ts");
	return backupSqlite(file, to, work);
}

/** See `verifyFile`. Nothing is written. */
export async function verifyStore(databaseUrl: string, work: LongWork): Promise<StoreReport> {
	const file = fileOf(databaseUrl, "pg_amcheck for a database, and pg_verifybackup for a base backup");
	const { verifyFile } = await import("./verify.ts");
	return verifyFile(file, work);
}

/** See `restoreSqlite`. No service may have the store open meanwhile. */
export async function restoreStore(backup: string, databaseUrl: string, options: RestoreOptions): Promise<number> {
	const to = fileOf(databaseUrl, "pg_restore, or name a file with --to");
	const { restoreSqlite } = await import("./backup.ts");
	return restoreSqlite(backup, to, options);
}

/**
 * Erases the names that all edits until now have replaced from a store, and records when in the audit log.
 * @returns false if other processes prevent it now, or if the server does not report what is left
 * @throws StoreRefused, StorageUnavailable
 */
export async function eraseNames(databaseUrl: string, now: () => number): Promise<boolean> {
	const engine = isPostgres(databaseUrl) ? import("./postgres.ts") : import("./erase-sqlite.ts");
	return (await engine).eraseNames(databaseUrl, now);
}

const locksOf = (databaseUrl: string) =>
	isPostgres(databaseUrl) ? import("./postgres.ts") : import("./lock-sqlite.ts");

/**
 * Must be called before this process opens the store.
 * @param work that needs the service to be stopped, for the message
 * @throws StoreRefused if a service has the store open
 */
export async function refuseOpenStore(databaseUrl: string, work: string): Promise<void> {
	return (await locksOf(databaseUrl)).refuseOpenStore(databaseUrl, work);
}

/** Locks a store that this process may have open against all writers, also those that start. @throws StoreRefused */
export async function lockWrites(databaseUrl: string): Promise<WriteLock> {
	return (await locksOf(databaseUrl)).lockWrites(databaseUrl);
}

/** @throws StoreRefused that names PostgreSQL's own tools for the work */
function fileOf(databaseUrl: string, tools: string): string {
	if (isPostgres(databaseUrl)) throw new StoreRefused(`PostgreSQL has its own tools: use ${tools}`);
	return pathOf(databaseUrl);
}
