// Work that only commands do, never the service's own process, where closing a second descriptor of the store's file
// would release its locks. The service starts such commands (jobs/command-process.ts). This file chooses the engine.

import { isPostgres, pathOf } from "../../store/open.ts";
import { StoreRefused } from "../../store/store.ts";

/** The module of the store's engine, with its locks and `eraseNames`. */
export const engineOf = (databaseUrl: string) =>
	isPostgres(databaseUrl) ? import("./postgres.ts") : import("./sqlite.ts");

/** The file of a SQLite store. @throws StoreRefused for PostgreSQL, with the names of PostgreSQL's own tools */
export function fileOf(databaseUrl: string, tools: string): string {
	if (isPostgres(databaseUrl)) throw new StoreRefused(`PostgreSQL has its own tools: use ${tools}`);
	const path = pathOf(databaseUrl);
	if (path.includes("://")) throw new StoreRefused("a URL is no file: name a file"); // It may have a password.
	return path;
}
