// DATABASE_URL → a migrated, running Store.

import { openSqlite } from "./sqlite.ts";
import type { Store } from "./store.ts";

/**
 * @param databaseUrl `sqlite:` and a path, as config.ts has checked it
 * @param now milliseconds since 1970
 * @param isVerified reads the whole store first, to refuse a damaged one: for the service; commands leave it out
 * @throws StoreRefused
 */
export function openStore(databaseUrl: string, now: () => number, isVerified = false): Promise<Store> {
	return openSqlite({ file: databaseUrl.slice("sqlite:".length), now, isVerified });
}
