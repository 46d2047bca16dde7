// `npm run bench:nodes` compares one node with several nodes of one store, on both engines, in turns:
// requests/s, CPU time of all nodes per request, and latency. The defaults are `--nodes 2 --seconds 3 --rounds 3
// --animals 100000 --engine both`; `--rate N` limits the load to N requests/s.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { keyFromRandom } from "../src/keys/formats.ts";
import { fill } from "./fill.ts";
import { addAnimals } from "./large-store.ts";
import { createBody, type Load, measureWarm, type Result, warmUp } from "./load.ts";
import { startDatabase } from "./postgres.ts";
import { figuresOf } from "./results.ts";
import { folder, type Server, startNode, stopAll } from "./servers.ts";

const { values } = parseArgs({
	options: {
		nodes: { type: "string", default: "2" },
		seconds: { type: "string", default: "3" },
		rounds: { type: "string", default: "3" },
		animals: { type: "string", default: "100000" },
		engine: { type: "string", default: "both" },
		rate: { type: "string", default: "" },
	},
});
const [seconds, rounds, animals] = [Number(values.seconds), Number(values.rounds), Number(values.animals)];
const counts = [1, Number(values.nodes)];
/** The number of connections of each of the two loads. With two nodes, each node gets one load. */
const connections = 32;

const scenarios: Record<string, (origin: string) => Pick<Load, "url" | "maxId" | "body">> = {
	"list of 20": (origin) => ({ url: `${origin}/v1/pets` }),
	get: (origin) => ({ url: `${origin}/v1/pets/ID`, maxId: animals }),
	create: (origin) => ({ url: `${origin}/v1/pets`, body: createBody }),
};

/** Starts nodes on both cores. The load uses the same cores. */
async function start(databaseUrl: string, key: string, count: number): Promise<Server[]> {
	const environment = { DATABASE_URL: databaseUrl, PORT: "0", OPS_PORT: "0", API_KEY: key };
	const parameters = ["bin/animal-store.js", "serve"];
	const one = () => startNode({ name: "a node", parameters, environment, key, core: "0,1" });
	return Promise.all(Array.from({ length: count }, one));
}

const stop = (nodes: Server[]) => Promise.all(nodes.map((node) => node.stop()));

async function measureEngine(engine: string, databaseUrl: string, key: string, pids?: () => number[]): Promise<void> {
	for (const [what, load] of Object.entries(scenarios)) {
		const measured = counts.map((): Result[] => []);
		for (let round = 0; round < rounds; round++) {
			for (const [index, count] of counts.entries()) {
				const nodes = await start(databaseUrl, key, count);
				const rate = values.rate ? { perSecond: Number(values.rate) / 2 } : {};
				const loaded = [0, 1].map((place) => {
					const { pid, url } = nodes[place % count] as Server;
					return { pid, load: { ...load(url), ...rate, key, connections, seconds } };
				});
				await warmUp(loaded);
				measured[index]?.push(await measureWarm(loaded, pids));
				await stop(nodes);
			}
		}
		for (const [index, results] of measured.entries()) {
			const figure = (of: (result: Result) => number | undefined, digits = 1) =>
				figuresOf(results.map((result) => of(result) ?? Number.NaN)).median.toFixed(digits);
			const row = [
				figure(({ requestsPerSecond }) => requestsPerSecond, 0),
				figure(({ cpuMicros }) => cpuMicros),
				pids ? figure(({ databaseMicros }) => databaseMicros) : "–",
				figure(({ p50Ms }) => p50Ms, 2),
				figure(({ p99Ms }) => p99Ms, 2),
				figure(({ rssMb }) => rssMb, 0),
				figure(({ failures }) => failures, 0),
			];
			console.log(`| ${engine} | ${what} | ${counts[index]} | ${row.join(" | ")} |`);
		}
	}
}

console.log(
	"| store | what | nodes | requests/s | CPU µs/request | database CPU µs | p50 ms | p99 ms | memory MB | failures |",
);
console.log("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|");
try {
	if (values.engine !== "postgres") {
		const key = keyFromRandom(randomBytes(32));
		const file = join(folder, "nodes.db");
		await stop(await start(`sqlite:${file}`, key, 1)); // Creates the tables.
		addAnimals(file, animals, undefined);
		await measureEngine("SQLite", `sqlite:${file}`, key);
	}
	if (values.engine !== "sqlite") {
		const database = await startDatabase();
		try {
			await measureEngine("PostgreSQL", database.url, await fill(database.url, animals), database.pids);
		} finally {
			await database.remove();
		}
	}
} finally {
	stopAll();
}
