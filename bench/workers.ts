// `npm run bench:workers` compares the service with one worker and with several, over both engines, in turns: requests/s,
// CPU time of all its processes per request, and latency. `--workers 2 --seconds 3 --rounds 3 --animals 100000 --engine both`;
// `--rate N` limits the load to N requests/s.

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { keyFromRandom } from "../src/keys/key-format.ts";
import { fill } from "./fill.ts";
import { addAnimals } from "./large-store.ts";
import { type Load, measureWarm, type Result, warmUp } from "./load.ts";
import { startDatabase } from "./postgres.ts";
import { folder, type Server, startNode, stopAll } from "./servers.ts";

const { values } = parseArgs({
	options: {
		workers: { type: "string", default: "2" },
		seconds: { type: "string", default: "3" },
		rounds: { type: "string", default: "3" },
		animals: { type: "string", default: "100000" },
		engine: { type: "string", default: "both" },
		rate: { type: "string", default: "" },
	},
});
const [seconds, rounds, animals] = [Number(values.seconds), Number(values.rounds), Number(values.animals)];
const counts = ["1", values.workers];

const scenarios: Record<string, (origin: string) => Pick<Load, "url" | "maxId" | "body">> = {
	"list of 20": (origin) => ({ url: `${origin}/v1/pets` }),
	get: (origin) => ({ url: `${origin}/v1/pets/ID`, maxId: animals }),
	create: (origin) => ({ url: `${origin}/v1/pets`, body: '{"name":"Rex","categoryId":1,"status":"available"}' }),
};

/** On both cores, which the load uses, too. */
function start(databaseUrl: string, key: string, workers: string): Promise<Server> {
	const environment = { DATABASE_URL: databaseUrl, PORT: "0", OPS_PORT: "0", API_KEY: key, WORKERS: workers };
	return startNode({ name: workers, parameters: ["bin/animal-store.js", "serve"], environment, key, core: "0,1" });
}

const median = (numbers: number[]) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

async function measureEngine(engine: string, databaseUrl: string, key: string, pids?: () => number[]): Promise<void> {
	for (const [what, load] of Object.entries(scenarios)) {
		const measured = counts.map((): Result[] => []);
		for (let round = 0; round < rounds; round++) {
			for (const [index, workers] of counts.entries()) {
				const server = await start(databaseUrl, key, workers);
				const rate = values.rate ? { perSecond: Number(values.rate) } : {};
				const loaded = { pid: server.pid, load: { ...load(server.url), ...rate, key, connections: 64, seconds } };
				await warmUp([loaded]);
				measured[index]?.push(await measureWarm([loaded], pids));
				await server.stop();
			}
		}
		for (const [index, results] of measured.entries()) {
			const figure = (of: (result: Result) => number | undefined, digits = 1) =>
				median(results.map((result) => of(result) ?? Number.NaN)).toFixed(digits);
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
	"| store | what | workers | requests/s | CPU µs/request | database CPU µs | p50 ms | p99 ms | memory MB | failures |",
);
console.log("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|");
try {
	if (values.engine !== "postgres") {
		const key = keyFromRandom(randomBytes(32));
		const file = join(folder, "workers.db");
		await (await start(`sqlite:${file}`, key, "1")).stop(); // It made its tables.
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
