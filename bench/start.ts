// Measures the start with a large store: the CPU time of the service until it listens, after a clean stop and after a
// SIGKILL. The animals are made with SQL, because ten million creates take an hour.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import { runProgram, startProgram } from "../test/program.ts";

const { values } = parseArgs({
	options: { animals: { type: "string", default: "10000000" }, file: { type: "string" } },
});
const folder = mkdtempSync(join(tmpdir(), "animal-store-start-"));
const file = values.file ?? join(folder, "s.db");
const environment = { DATABASE_URL: `sqlite:${file}` };
let key = "";
const cleanUps: (() => void)[] = [() => rmSync(folder, { recursive: true })];
const context = { after: (cleanUp: () => void) => void cleanUps.unshift(cleanUp) };

async function make(): Promise<void> {
	await runProgram(["keys", "create", "--name", "first"], { environment });
	const database = new Database(file);
	database.pragma("synchronous = OFF");
	database.pragma("cache_size = -500000");
	database.pragma("wal_autocheckpoint = 100000");
	const add = database.prepare(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
		INSERT INTO pets (name, category_id, status)
		SELECT printf('Animal %09d', i + @from), i % 50,
			CASE i % 4 WHEN 0 THEN 'available' WHEN 1 THEN 'pending' WHEN 2 THEN 'sold' END FROM n`);
	for (let from = 0; from < Number(values.animals); from += 100_000) add.run({ from });
	database.close();
}

/** User and system time of a process in milliseconds (proc(5), fields 14 and 15 of stat, in hundredths of a second). */
function cpuMs(pid: number): number {
	const [user = 0, system = 0] =
		readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11).map(Number) ?? [];
	return (user + system) * 10;
}

/** Starts the service, adds an animal, and ends it with this signal. */
async function start(what: string, signal: NodeJS.Signals): Promise<void> {
	const startedAtMs = performance.now();
	const service = await startProgram(context, environment);
	const readyMs = Math.round(performance.now() - startedAtMs);
	console.log(`${what}: ready after ${readyMs} ms and ${cpuMs(service.pid)} ms of CPU`);
	// A create, so that there is a log to leave.
	const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
	await fetch(`${service.url}/v1/pets`, { method: "POST", headers, body: '{"name":"Rex","categoryId":1}' });
	service.process.kill(signal);
	await service.finished;
}

try {
	if (!existsSync(file)) await make();
	const { stdout } = await runProgram(["keys", "create", "--name", "bench"], { environment });
	key = stdout.trim();
	await start("after a clean stop", "SIGTERM");
	await start("after a clean stop", "SIGKILL");
	await start("after a SIGKILL", "SIGTERM");
} finally {
	for (const cleanUp of cleanUps) cleanUp();
}
