// DATABASE_URL → a migrated, running Store.

import { openPostgres } from "./postgres/open.ts";
import { backupSqlite, restoreSqlite } from "./sqlite/backup.ts";
import { openSqlite } from "./sqlite/open.ts";
import { type EditRecord, type OpenOptions, type Store, StoreRefused } from "./store.ts";

/**
 * @param databaseUrl `sqlite:` and a path, or `postgres://…`; config.ts has validated it
 * @param now milliseconds since 1970
 * @throws StoreRefused
 */
export function openStore(databaseUrl: string, now: () => number, options: OpenOptions = {}): Promise<Store> {
	return isPostgres(databaseUrl)
		? openPostgres(databaseUrl, now, options)
		: openSqlite({ file: fileOf(databaseUrl), now, ...options });
}

/**
 * Writes a consistent copy of a store to a new file. The store may be in use.
 * @returns the number of animals in it
 * @throws StoreRefused, and the signal's reason once it is aborted
 */
export async function backupStore(databaseUrl: string, to: string, signal: AbortSignal): Promise<number> {
	if (isPostgres(databaseUrl))
		throw new StoreRefused("PostgreSQL has its own tools for backups: use pg_dump or pg_basebackup");
	return backupSqlite(fileOf(databaseUrl), to, signal);
}

export interface RestoreOptions {
	/** Replaces an existing file. */
	force: boolean;
	/** The whole audit log: animals that it removes are not restored. */
	auditLog?: readonly EditRecord[] | undefined;
	signal: AbortSignal;
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
	return restoreSqlite({ backup, to: fileOf(databaseUrl), ...options });
}

const isPostgres = (databaseUrl: string) => /^postgres(ql)?:/.test(databaseUrl);
const fileOf = (databaseUrl: string) => databaseUrl.slice("sqlite:".length);
