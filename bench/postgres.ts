// The PostgreSQL server of a benchmark, with a database for each service.

import { startPostgres } from "../test/support/postgres-server.ts";
import { runSql } from "../test/support/sql.ts";

export async function startDatabase() {
	const server = await startPostgres(["-c", "max_connections=300"]);
	const url = `${server.url}/postgres`;
	return {
		pids: server.pids,
		remove: server.remove,
		url,
		/** Creates another database on the same server. */
		async add(name: string): Promise<string> {
			await runSql(url, `CREATE DATABASE ${name}`);
			return `${server.url}/${name}`;
		},
		async bytesEach(animals: number): Promise<number> {
			const [row] = await runSql(url, "SELECT pg_total_relation_size('pets') AS bytes");
			return Number(row?.["bytes"]) / animals;
		},
	};
}
export type Database = Awaited<ReturnType<typeof startDatabase>>;
