// Opens the store that DATABASE_URL names, and migrates it. Only the engine in use is loaded.

import { resolve } from "node:path";
import { createBackground } from "./background.ts";
import type { OpenOptions } from "./engine.ts";
import { withoutPassword } from "./postgres/url.ts";
import type { Store } from "./store.ts";

/**
 * @param databaseUrl `sqlite:` and a path, or `postgres://…` (config.ts) @param now milliseconds since 1970
 * @throws StoreRefused
 */
export async function openStore(databaseUrl: string, now: () => number, given?: OpenOptions): Promise<Store> {
	const options = { background: createBackground(), ...given };
	if (isPostgres(databaseUrl)) {
		const { openPostgres } = await import("./postgres/open.ts");
		return openPostgres(databaseUrl, now, options);
	}
	const { openSqlite } = await import("./sqlite/open.ts");
	return openSqlite(pathOf(databaseUrl), now, options);
}

export const isPostgres = (databaseUrl: string) => /^postgres(ql)?:/.test(databaseUrl);

/** The store's name in messages: `sqlite:` and the absolute path, or the URL without its password. */
export function nameOfStore(databaseUrl: string): string {
	return isPostgres(databaseUrl) ? withoutPassword(databaseUrl) : `sqlite:${resolve(pathOf(databaseUrl))}`;
}

export const pathOf = (databaseUrl: string) => databaseUrl.slice("sqlite:".length);
