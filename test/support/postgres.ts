// A new database for a test, on the server that test/global-setup.ts started or TEST_POSTGRES_URL names. A test gets a
// new schema instead if TEST_POSTGRES_URL names a database.

import { randomBytes } from "node:crypto";
import { runSql } from "./sql.ts";
import type { CleanUps } from "./until.ts";

/**
 * @param server a URL without a database: a database is created on that server. A URL with a database: a schema is
 * created in that database, whose engine may store tables in another layout; `drop` removes the schema.
 */
export async function testDatabase(server = process.env["TEST_POSTGRES_URL"]) {
	if (!server) throw new Error("there is no PostgreSQL: start the tests with npm test, or set TEST_POSTGRES_URL");
	const name = `test_${randomBytes(8).toString("hex")}`;
	const isGiven = new URL(server).pathname.length > 1;
	const maker = isGiven ? server : withDatabase(server, "postgres");
	const url = isGiven ? withSettings(server, { search_path: name }) : withDatabase(server, name);
	await runSql(maker, isGiven ? `CREATE SCHEMA ${name}` : `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
	return {
		url,
		/** Runs SQL as the owner of the server. */
		query: (sql: string) => runSql(url, sql),
		drop: async (): Promise<void> => {
			await runSql(maker, isGiven ? `DROP SCHEMA ${name} CASCADE` : `DROP DATABASE ${name} WITH (FORCE)`);
		},
	};
}

export async function databaseFor(context: CleanUps) {
	const database = await testDatabase();
	context.after(() => database.drop());
	return database;
}

export const withDatabase = (server: string, name: string) => Object.assign(new URL(server), { pathname: name }).href;

/** The URL of the same database; connections through it have these settings of the server. */
export function withSettings(url: string, settings: Record<string, string>): string {
	const changed = new URL(url);
	const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(" ", "\\ ")}`);
	changed.searchParams.set("options", [changed.searchParams.get("options") ?? "", ...options].join(" ").trim());
	// PostgreSQL URLs do not read a + as a space.
	changed.search = changed.search.replaceAll("+", "%20");
	return changed.href;
}
