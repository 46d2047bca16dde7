// DATABASE_URL → a migrated, running Store.

import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import { backupSqlite } from "./sqlite-backup.ts";
import { type Store, StoreRefused } from "./store.ts";

/**
 * @param databaseUrl `sqlite:` and a path, or `postgres://…`, as config.ts has checked it
 * @param now milliseconds since 1970
 * @param isVerified reads the whole file first, to refuse a damaged one: for the service; commands leave it out
 * @param random from 0 to 1, spreads the retries of nodes that write at once; commands, which write once, leave it out
 * @throws StoreRefused
 */
export function openStore(
	databaseUrl: string,
	now: () => number,
	isVerified = false,
	random = () => 1,
): Promise<Store> {
	return isPostgres(databaseUrl)
		? openPostgres({ url: databaseUrl, now, random })
		: openSqlite({ file: fileOf(databaseUrl), now, isVerified });
}

/**
 * Writes a consistent copy of a store to a new file, also while it is written to.
 * @returns the number of animals in it
 * @throws StoreRefused
 */
export function backupStore(databaseUrl: string, to: string): number {
	if (isPostgres(databaseUrl))
		throw new StoreRefused("PostgreSQL has its own tools for backups: use pg_dump or pg_basebackup");
	return backupSqlite(fileOf(databaseUrl), to);
}

const isPostgres = (databaseUrl: string) => /^postgres(ql)?:/.test(databaseUrl);
const fileOf = (databaseUrl: string) => databaseUrl.slice("sqlite:".length);
