// Runs SQL on the database of a store, as anyone with its password or its file can.

import Database from "better-sqlite3";
import pg from "pg";

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
	await client.connect();
	const { rows } = await client.query(sql).finally(() => client.end());
	return rows;
}
