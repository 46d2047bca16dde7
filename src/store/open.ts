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
export async function openStore(databaseUrl: string, now: () => number, options: OpenOptions = {}): Promise<Store> {
	if (isPostgres(databaseUrl)) {
		const { openPostgres } = await import("./postgres/open.ts");
		return openPostgres(databaseUrl, now, options);
	}
	const { openSqlite } = await import("./sqlite/open.ts");
	return openSqlite({ file: fileOf(databaseUrl), now, ...options });
}

/**
 * Writes a consistent copy of a store to a new file. The store may be in use, but not by this process.
 * @returns the number of animals in it
 * @throws StoreRefused, and the signal's reason once it is aborted
 */
export async function backupStore(databaseUrl: string, to: string, work: LongWork): Promise<number> {
	if (isPostgres(databaseUrl))
		throw new StoreRefused("PostgreSQL has its own tools for backups: use pg_dump or pg_basebackup");
	const { backupSqlite } = await import("./sqlite/backup.ts");
	return backupSqlite(fileOf(databaseUrl), to, work);
}

/**
 * Reads a whole store or backup and reports what is in it. The store may be in use, but not by this process. Nothing is
 * written.
 * @throws StoreRefused if it is not a store, and the signal's reason once it is aborted
 */
export async function verifyStore(databaseUrl: string, work: LongWork): Promise<StoreReport> {
	if (isPostgres(databaseUrl))
		throw new StoreRefused(
			"PostgreSQL has its own tools: use pg_amcheck for a database, and pg_verifybackup for a base backup",
		);
	const { verifyFile } = await import("./sqlite/verify.ts");
	return verifyFile(fileOf(databaseUrl), work);
}

/**
 * Erases the names that edits have replaced from the files of a store, and records when in the audit log. The store may
 * be in use, but not by this process.
 * @returns false if other programs prevent it now, or if the server cannot tell
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

/**
 * Creates a store from a backup. No service may have the store open meanwhile.
 * @param databaseUrl the store to create
 * @returns the number of animals in it
 * @throws StoreRefused, and the signal's reason once it is aborted
 */
export async function restoreStore(backup: string, databaseUrl: string, options: RestoreOptions): Promise<number> {
	if (isPostgres(databaseUrl))
		throw new StoreRefused("PostgreSQL has its own tools for backups: use pg_restore, or name a file with --to");
	const { restoreSqlite } = await import("./sqlite/backup.ts");
	return restoreSqlite({ backup, to: fileOf(databaseUrl), ...options });
}

const isPostgres = (databaseUrl: string) => /^postgres(ql)?:/.test(databaseUrl);
const fileOf = (databaseUrl: string) => databaseUrl.slice("sqlite:".length);
