// DATABASE_URL → a migrated, running Store. Only the engine in use is loaded.

import {
	type LongWork,
	type OpenOptions,
	type RestoreOptions,
	type Store,
	StoreRefused,
	type StoreReport,
} from "./store.ts";

/**
 * @param databaseUrl `sqlite:` and a path, or `postgres://…`; config.ts has validated it
 * @param now milliseconds since 1970
 * @throws StoreRefused
 */
export async function openStore(databaseUrl: string, now: () => number, options?: OpenOptions): Promise<Store> {
	if (isPostgres(databaseUrl)) {
		const { openPostgres } = await import("./postgres/open.ts");
		return openPostgres(databaseUrl, now, options);
	}
	const { openSqlite } = await import("./sqlite/open.ts");
	return openSqlite(fileOf(databaseUrl), now, options);
}

/** See `backupSqlite`. The store may be in use, but not by this process. */
export async function backupStore(databaseUrl: string, to: string, work: LongWork): Promise<number> {
	const file = fileOf(databaseUrl, "pg_dump or pg_basebackup");
	const { backupSqlite } = await import("./sqlite/backup.ts");
	return backupSqlite(file, to, work);
}

/** See `verifyFile`. The store may be in use, but not by this process. Nothing is written. */
export async function verifyStore(databaseUrl: string, work: LongWork): Promise<StoreReport> {
	const file = fileOf(databaseUrl, "pg_amcheck for a database, and pg_verifybackup for a base backup");
	const { verifyFile } = await import("./sqlite/verify.ts");
	return verifyFile(file, work);
}

/** See `restoreSqlite`. No service may have the store open meanwhile. */
export async function restoreStore(backup: string, databaseUrl: string, options: RestoreOptions): Promise<number> {
	const to = fileOf(databaseUrl, "pg_restore, or name a file with --to");
	const { restoreSqlite } = await import("./sqlite/backup.ts");
	return restoreSqlite(backup, to, options);
}

/**
 * Erases the names that edits have replaced from the files of a store, and records when in the audit log. The store may
 * be in use, but not by this process.
 * @returns false if other programs prevent it now, or if the server does not report what is left
 * @throws StoreRefused, StorageUnavailable
 */
export async function eraseNames(databaseUrl: string, now: () => number): Promise<boolean> {
	if (isPostgres(databaseUrl)) {
		const { erasePostgresNames } = await import("./postgres/erase.ts");
		return erasePostgresNames(databaseUrl, now);
	}
	const { eraseSqliteNames } = await import("./sqlite/erase.ts");
	return eraseSqliteNames(fileOf(databaseUrl), now);
}

const isPostgres = (databaseUrl: string) => /^postgres(ql)?:/.test(databaseUrl);

/** @throws StoreRefused that names PostgreSQL's own tools for the work */
function fileOf(databaseUrl: string, tools = ""): string {
	if (isPostgres(databaseUrl)) throw new StoreRefused(`PostgreSQL has its own tools: use ${tools}`);
	return databaseUrl.slice("sqlite:".length);
}
