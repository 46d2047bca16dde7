// `npm run bench:replicas` measures what a replica takes off the primary: CPU time of both PostgreSQL servers per request,
// of a service with and without DATABASE_READ_URL in turns, and the share of the reads that came from the replica.
// Options: `--animals N` in the store, `--seconds N` of each turn, `--rounds N` turns of each.

import { parseArgs } from "node:util";
import { startPostgres } from "../test/postgres-server.ts";
import { figureOf } from "../test/scrape.ts";
import { runSql } from "../test/sql.ts";
import { until } from "../test/until.ts";
import { fill } from "./fill.ts";
import { cpuSeconds, type Load, measureWarm, warmUp } from "./load.ts";
import { figuresOf } from "./results.ts";
import { pagesOf } from "./scenarios.ts";
import { type Server, startNode, stopAll } from "./servers.ts";

const { values } = parseArgs({
	options: {
		animals: { type: "string", default: "200000" },
		seconds: { type: "string", default: "4" },
		rounds: { type: "string", default: "5" },
	},
});
const animals = Number(values.animals);
const seconds = Number(values.seconds);

const primary = await startPostgres();
const replica = await primary.replica();
const [url, readUrl] = [`${primary.url}/postgres`, `${replica.url}/postgres`];

const start = (name: string, key: string, more: Record<string, string> = {}): Promise<Server> =>
	startNode({
		name,
		parameters: ["bin/animal-store.js", "serve"],
		environment: { DATABASE_URL: url, PORT: "0", OPS_PORT: "0", ...more },
		key,
	});

/** Reads by server so far. */
async function readsOf({ opsUrl = "" }: Server): Promise<{ primary: number; replica: number }> {
	const of = (server: string) => figureOf({ opsUrl }, "animal_store_reads_total", { server });
	return { primary: await of("primary"), replica: await of("replica") };
}

interface Turn {
	requestsPerSecond: number;
	p99Ms: number;
	nodeMicros: number;
	primaryMicros: number;
	replicaMicros: number;
	share: number;
}

async function measureTurn(server: Server, load: Load): Promise<Turn> {
	const [before, replicaBefore] = [await readsOf(server), cpuSeconds(replica.pids())];
	const result = await measureWarm([{ pid: server.pid, load }], primary.pids);
	const [reads, replicaAfter] = [await readsOf(server), cpuSeconds(replica.pids())];
	if (result.failures > 0) throw new Error(`${result.failures} requests failed`);
	const [byPrimary, byReplica] = [reads.primary - before.primary, reads.replica - before.replica];
	return {
		requestsPerSecond: result.requestsPerSecond,
		p99Ms: result.p99Ms,
		nodeMicros: result.cpuMicros,
		primaryMicros: result.databaseMicros ?? 0,
		replicaMicros: ((replicaAfter - replicaBefore) * 1e6) / (result.requestsPerSecond * seconds),
		share: byReplica / Math.max(1, byPrimary + byReplica),
	};
}

try {
	const key = await fill(url, animals);
	const count = async () => (await runSql(readUrl, "SELECT count(*)::integer AS count FROM pets"))[0]?.["count"];
	await until("the replica to have all animals", async () => (await count().catch(() => 0)) === animals);
	const servers = [await start("without", key), await start("with a replica", key, { DATABASE_READ_URL: readUrl })];
	const walked = await pagesOf(servers[0] as Server, animals).walk();
	const body = JSON.stringify({ name: "Rex", categoryId: 1, status: "available" });
	const loads: Record<string, Partial<Load> & { path: string }> = {
		get: { path: "/ID", maxId: animals },
		"list of 100, random page": { path: "?limit=100&cursor=CURSOR", cursors: walked.any },
		"90 % gets, 10 % creates": { path: "/ID", maxId: animals, body, postShare: 0.1 },
	};
	console.log(
		"| load | replica | requests/s | p99, ms | node, CPU µs | primary, CPU µs | replica, CPU µs | share |\n|---|---|---:|---:|---:|---:|---:|---:|",
	);
	for (const [what, { path, ...more }] of Object.entries(loads)) {
		const turns = new Map(servers.map(({ name }) => [name, [] as Turn[]]));
		const loadOf = ({ url }: Server): Load => ({
			url: `${url}/v1/pets${path}`,
			key,
			connections: 64,
			seconds,
			...more,
		});
		for (const server of servers) await warmUp([{ load: loadOf(server) }]);
		for (let round = 0; round < Number(values.rounds); round++)
			for (const server of servers) turns.get(server.name)?.push(await measureTurn(server, loadOf(server)));
		for (const [name, all] of turns) {
			const median = (of: (turn: Turn) => number) => figuresOf(all.map(of)).median;
			const figures = [
				median(({ requestsPerSecond }) => requestsPerSecond).toFixed(0),
				median(({ p99Ms }) => p99Ms).toFixed(1),
				median(({ nodeMicros }) => nodeMicros).toFixed(1),
				median(({ primaryMicros }) => primaryMicros).toFixed(1),
				median(({ replicaMicros }) => replicaMicros).toFixed(1),
				`${(100 * median(({ share }) => share)).toFixed(0)} %`,
			];
			console.log(`| ${[what, name, ...figures].join(" | ")} |`);
		}
	}
} finally {
	stopAll();
	await replica.remove();
	await primary.remove();
}
