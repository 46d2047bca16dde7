// A database of its own for a test, on the server that test/global-setup.ts started or TEST_POSTGRES_URL names.

import { randomBytes } from "node:crypto";
import pg from "pg";

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
