// `npm run bench:metrics` measures the cost of metrics and log lines: CPU time of the main thread per request of a service
// under load, with and without them in turn, ten times a second (alternating.ts). Option: `--seconds N` for each scenario.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { fill } from "./fill.ts";
import { createBody, type Load, measure, onCore } from "./load.ts";
import { figuresOf } from "./results.ts";

const { values } = parseArgs({ options: { seconds: { type: "string", default: "20" } } });
const animals = 10_000;
const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-"));
const databaseUrl = `sqlite:${join(folder, "animals.db")}`;
const figuresFile = join(folder, "figures");
let child: ChildProcess | undefined;

async function start(): Promise<{ process: ChildProcess; url: string }> {
	const service = ["--import", "./bench/alternating.ts", "bin/animal-store.js", "serve"];
	const [program = "", ...rest] = onCore(0, [process.execPath, ...service]);
	const log = join(folder, "log");
	const output = openSync(log, "w");
	const environment = { DATABASE_URL: databaseUrl, PORT: "0", OPS_PORT: "0", BENCH_FIGURES: figuresFile };
	child = spawn(program, rest, { env: { ...process.env, ...environment }, stdio: ["ignore", output, "inherit"] });
	closeSync(output);
	for (;;) {
		const [line = "", isWhole] = readFileSync(log, "utf8").split("\n");
		if (isWhole !== undefined) return { process: child, url: JSON.parse(line).url };
		if (child.exitCode !== null) throw new Error("the service ended before it listened");
		await sleep(20);
	}
}

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
		const service = await start();
		await measure([{ pid: service.process.pid as number, load: { ...rest, url: `${service.url}/v1/pets${path}` } }]);
		service.process.kill("SIGTERM");
		await once(service.process, "exit");
		const { on, off }: Record<"on" | "off", number[]> = JSON.parse(readFileSync(figuresFile, "utf8"));
		const [without, full] = [figuresOf(off).median, figuresOf(on).median];
		const row = [what, on.length + off.length, without.toFixed(2), full.toFixed(2), (full / without).toFixed(3)];
		console.log(`| ${row.join(" | ")} |`);
	}
} finally {
	child?.kill("SIGKILL");
	rmSync(folder, { recursive: true, force: true });
}
