// Runs SQL on the database of a store, as anyone with its password or its file can.

import Database from "better-sqlite3";
import pg from "pg";
import { type CleanUps, until } from "./until.ts";

/** @returns the rows, if the statement has any */
export async function runSql(databaseUrl: string, sql: string): Promise<Record<string, unknown>[]> {
	if (databaseUrl.startsWith("sqlite:")) {
		const database = new Database(databaseUrl.slice("sqlite:".length));
		try {
			const statement = database.prepare<[], Record<string, unknown>>(sql);
			if (statement.reader) return statement.all();
			statement.run();
			return [];
		} finally {
			database.close();
		}
	}
	const client = new pg.Client({ connectionString: databaseUrl });
	client.on("error", () => {}); // The server may end meanwhile; then the query fails.
	await client.connect();
	const { rows } = await client.query(sql).finally(() => client.end());
	return rows;
}

/** Opens a connection to PostgreSQL that ends with the test. */
export async function connect(context: CleanUps, url: string): Promise<pg.Client> {
	const client = new pg.Client({ connectionString: url });
	client.on("error", () => {}); // The database or the server may be removed before the connection ends.
	await client.connect();
	context.after(() => client.end());
	return client;
}

/** Changes a setting of a PostgreSQL server, and waits until new connections have it. */
export async function setOnServer(url: string, name: string, value: string): Promise<void> {
	await runSql(url, `ALTER SYSTEM SET ${name} = '${value}'`);
	await runSql(url, "SELECT pg_reload_conf()");
	await until("the server to read its settings", async () => {
		const [row] = await runSql(url, `SELECT current_setting('${name}') AS value`);
		return row?.["value"] === value;
	});
}
