// DATABASE_URL → a migrated, running Store.

import { openPostgres } from "./postgres.ts";
import { openSqlite } from "./sqlite.ts";
import type { Store } from "./store.ts";

/**
 * @param databaseUrl `sqlite:` and a path, or `postgres://…`, as config.ts has checked it
 * @param now milliseconds since 1970
 * @param isVerified reads the whole file first, to refuse a damaged one: for the service; commands leave it out
 * @throws StoreRefused
 */
export function openStore(databaseUrl: string, now: () => number, isVerified = false): Promise<Store> {
	return /^postgres(ql)?:/.test(databaseUrl)
		? openPostgres(databaseUrl, now)
		: openSqlite({ file: databaseUrl.slice("sqlite:".length), now, isVerified });
}
