// The PostgreSQL server of a benchmark, with a database for each service.

import pg from "pg";
import { startPostgres } from "../test/support/postgres-server.ts";

export async function startDatabase() {
	const server = await startPostgres(["-c", "max_connections=300"]);
	const query = async (text: string) => {
		const client = new pg.Client({ connectionString: `${server.url}/postgres` });
		await client.connect();
		return client.query(text).finally(() => client.end());
	};
	return {
		pids: server.pids,
		remove: server.remove,
		url: `${server.url}/postgres`,
		/** Creates another database on the same server. */
		async add(name: string): Promise<string> {
			await query(`CREATE DATABASE ${name}`);
			return `${server.url}/${name}`;
		},
		async bytesEach(animals: number): Promise<number> {
			const { rows } = await query("SELECT pg_total_relation_size('pets') AS bytes");
			return Number(rows[0].bytes) / animals;
		},
	};
}
export type Database = Awaited<ReturnType<typeof startDatabase>>;
