// DATABASE_URL → a migrated, running Store.

import { openSqlite } from "./sqlite.ts";
import type { Store } from "./store.ts";

/**
 * @param databaseUrl `sqlite:` and a path, as config.ts has checked it
 * @param now milliseconds since 1970
 * @throws StoreRefused
 */
export function openStore(databaseUrl: string, now: () => number): Promise<Store> {
	return openSqlite(databaseUrl.slice("sqlite:".length), now);
}
