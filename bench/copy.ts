// `npm run bench:copy` measures `animal-store copy` with `--animals N` (1,000,000) to PostgreSQL and back, including
// the comparison of source and target at the end.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startPostgres } from "../test/support/postgres-server.ts";
import { runProgram } from "../test/support/program.ts";
import { fill } from "./fill.ts";

const { values } = parseArgs({ options: { animals: { type: "string", default: "1000000" } } });
const animals = Number(values.animals);
const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-copy-"));
const server = await startPostgres();
try {
	const from = `sqlite:${join(folder, "from.db")}`;
	const database = `${server.url}/postgres`;
	await fill(from, animals);
	console.log("| copy | animals | s | animals/s |\n|---|---:|---:|---:|");
	for (const [name, source, target] of [
		["SQLite to PostgreSQL", from, database],
		["PostgreSQL to SQLite", database, `sqlite:${join(folder, "back.db")}`],
	] as const) {
		const startedAtMs = performance.now();
		const { code, stderr } = await runProgram(["copy", "--from", source, "--to", target]);
		const seconds = (performance.now() - startedAtMs) / 1000;
		if (code !== 0) throw new Error(stderr);
		console.log(`| ${name} | ${animals} | ${seconds.toFixed(1)} | ${(animals / seconds).toFixed(0)} |`);
	}
} finally {
	await server.remove();
	rmSync(folder, { recursive: true, force: true });
}
