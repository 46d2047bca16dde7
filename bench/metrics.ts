// `npm run bench:metrics` measures the cost of metrics and log lines: the main thread's CPU time per request under
// load, with and without metrics and log lines, in turns of 50 ms (alternating.ts). Option: `--seconds N` per scenario.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fill } from "./fill.ts";
import { createBody, type Load, measure } from "./load.ts";
import { figuresOf } from "./results.ts";
import { folder, startNode, stopAll } from "./servers.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "20" } } });
const animals = 10_000;
const databaseUrl = `sqlite:${join(folder, "animals.db")}`;
const figuresFile = join(folder, "figures");

try {
	const key = await fill(databaseUrl, animals);
	const load = { key, connections: 64, seconds: Number(values.seconds) };
	const scenarios: Record<string, Omit<Load, "url"> & { path: string }> = {
		get: { ...load, path: "/ID", maxId: animals },
		"list of 20": { ...load, path: "" },
		create: { ...load, path: "", body: createBody },
	};
	console.log("| what | slices | without, CPU µs | with, CPU µs | ratio |\n|---|---:|---:|---:|---:|");
	for (const [what, { path, ...rest }] of Object.entries(scenarios)) {
		const server = await startNode({
			name: "the service",
			parameters: ["--import", "./bench/alternating.ts", "bin/animal-store.js", "serve"],
			environment: { DATABASE_URL: databaseUrl, PORT: "0", OPS_PORT: "0", BENCH_FIGURES: figuresFile },
			key,
		});
		await measure([{ pid: server.pid, load: { ...rest, url: `${server.url}/v1/pets${path}` } }]);
		await server.stop();
		const { on, off }: Record<"on" | "off", number[]> = JSON.parse(readFileSync(figuresFile, "utf8"));
		const [without, full] = [figuresOf(off).median, figuresOf(on).median];
		const row = [what, on.length + off.length, without.toFixed(2), full.toFixed(2), (full / without).toFixed(3)];
		console.log(`| ${row.join(" | ")} |`);
	}
} finally {
	stopAll();
}
