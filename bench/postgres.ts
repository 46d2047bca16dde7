// What `npm run bench -- --engine postgres` measures besides the scenarios: two nodes on one database against one node,
// and the store without HTTP against a loop of raw statements.

import pg from "pg";
import { startPostgres } from "../test/support/postgres-server.ts";
import { createBody, type Loaded, measureWarm, warmUp } from "./load.ts";
import { type Measurement, nodeNames } from "./results.ts";
import type { Server } from "./servers.ts";
import { startService } from "./servers.ts";

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

/** Get and create at a fixed rate, on one node and on two, in turn. */
export async function measureNodes(
	{ url, pids }: Database,
	service: Server,
	{ animals, seconds, rounds }: { animals: number; seconds: number; rounds: number },
): Promise<Measurement[]> {
	const second = await startService(url, service.key, ".", 1);
	const measurements: Measurement[] = [];
	for (const [what, path, more] of [
		["get: random", "/ID", { maxId: animals }],
		["create", "", { body: createBody }],
	] as const) {
		const both = [service, second].map(({ url, pid, key }): Loaded => {
			const load = { url: `${url}/v1/pets${path}`, key, connections: 64, seconds, perSecond: 8000, ...more };
			return { pid, load };
		});
		const one: Measurement = { what, who: nodeNames.one, rounds: [] };
		const two: Measurement = { what, who: nodeNames.two, rounds: [] };
		await warmUp(both);
		for (let round = 0; round < rounds; round++) {
			one.rounds.push(await measureWarm(both.slice(0, 1), pids));
			two.rounds.push(await measureWarm(both, pids));
		}
		measurements.push(one, two);
	}
	await second.stop();
	return measurements;
}
