// A database of its own for a test, on the server that test/global-setup.ts started or TEST_POSTGRES_URL names.

import { randomBytes } from "node:crypto";
import pg from "pg";
import { runSql } from "./sql.ts";
import { until } from "./until.ts";

export interface TestDatabase {
	url: string;
	/** Runs SQL as the server's owner would. */
	query(sql: string): Promise<pg.QueryResult>;
	drop(): Promise<void>;
}

export async function testDatabase(): Promise<TestDatabase> {
	const server = process.env["TEST_POSTGRES_URL"];
	if (!server) throw new Error("there is no PostgreSQL: start the tests with npm test, or set TEST_POSTGRES_URL");
	const name = `test_${randomBytes(8).toString("hex")}`;
	const asOwner = async (sql: string) => {
		const client = new pg.Client({ connectionString: `${server}/postgres` });
		await client.connect();
		return client.query(sql).finally(() => client.end());
	};
	await asOwner(`CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
	const url = `${server}/${name}`;
	return {
		url,
		async query(sql) {
			const client = new pg.Client({ connectionString: url });
			await client.connect();
			return client.query(sql).finally(() => client.end());
		},
		drop: async () => void (await asOwner(`DROP DATABASE ${name} WITH (FORCE)`)),
	};
}

/** @param names of the standbys that a commit waits for; none if empty */
export async function requireStandby(url: string, names: string): Promise<void> {
	await runSql(url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
	await runSql(url, "SELECT pg_reload_conf()");
	await until("the server to read its settings", async () => {
		const [row] = await runSql(url, "SELECT current_setting('synchronous_standby_names') AS names");
		return row?.["names"] === names;
	});
}
