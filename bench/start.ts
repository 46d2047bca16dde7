// `npm run bench:start` measures the time and the CPU time that the service takes until it listens: with an empty
// store, and with a large store of `--animals N` (10,000,000), after a clean stop and after a SIGKILL.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startProgram } from "../test/support/program.ts";
import { makeLargeStore } from "./large-store.ts";
import { cpuSeconds } from "./load.ts";

const { values } = parseArgs({ options: { animals: { type: "string", default: "10000000" } } });
const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-start-"));
const cleanUps: (() => void)[] = [() => rmSync(folder, { recursive: true })];
const context = { after: (cleanUp: () => void) => void cleanUps.unshift(cleanUp) };

/** Starts the service, adds an animal so that there is a WAL, and ends the service with this signal. */
async function start(what: string, store: { file: string; key: string }, signal: NodeJS.Signals): Promise<void> {
	const startedAtMs = performance.now();
	const service = await startProgram(context, { DATABASE_URL: `sqlite:${store.file}` });
	const readyMs = performance.now() - startedAtMs;
	console.log(`| ${what} | ${readyMs.toFixed(0)} | ${(cpuSeconds([service.pid]) * 1000).toFixed(0)} |`);
	const headers = { authorization: `Bearer ${store.key}`, "content-type": "application/json" };
	await fetch(`${service.url}/v1/pets`, { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' });
	service.process.kill(signal);
	await service.finished;
}

async function makeStore(name: string, animals: number) {
	const file = join(folder, name);
	return { file, key: await makeLargeStore(file, animals) };
}

try {
	const empty = await makeStore("empty.db", 0);
	const large = await makeStore("large.db", Number(values.animals));
	console.log("| start | ready after, ms | CPU, ms |\n|---|---:|---:|");
	for (let round = 0; round < 3; round++) {
		await start("empty store", empty, "SIGTERM");
		await start(`${values.animals} animals, after a clean stop`, large, "SIGKILL");
		await start(`${values.animals} animals, after a SIGKILL`, large, "SIGTERM");
	}
} finally {
	for (const cleanUp of cleanUps) cleanUp();
}
