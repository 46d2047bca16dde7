// `npm run bench:backup` measures creates in a store of `--animals N` (2,000,000), alternately without backups and
// while the service makes one backup after another.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startProgram } from "../test/support/program.ts";
import { makeLargeStore } from "./large-store.ts";
import { createBody, measure } from "./load.ts";

const { values } = parseArgs({
	options: { animals: { type: "string", default: "2000000" }, seconds: { type: "string", default: "15" } },
});
const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-backup-"));
const cleanUps: (() => void)[] = [() => rmSync(folder, { recursive: true })];
const context = { after: (cleanUp: () => void) => void cleanUps.unshift(cleanUp) };

async function creates(key: string, more: Record<string, string>) {
	const service = await startProgram(context, { DATABASE_URL: `sqlite:${join(folder, "s.db")}`, ...more });
	const load = { url: `${service.url}/v1/pets`, key, connections: 64, seconds: Number(values.seconds) };
	const result = await measure([{ pid: service.pid, load: { ...load, body: createBody } }]);
	const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
	const { stdout } = await service.stop();
	const delaySeconds = Number(/^animal_store_event_loop_delay_seconds\{percentile="99"\} (\S+)/m.exec(metrics)?.[1]);
	return { ...result, delayMs: delaySeconds * 1000, backups: stdout.split("backup made").length - 1 };
}

try {
	const key = await makeLargeStore(join(folder, "s.db"), Number(values.animals));
	mkdirSync(join(folder, "backups"));
	const backups = { BACKUP_TO: join(folder, "backups"), BACKUP_EVERY: "1s", BACKUP_KEEP: "1" };
	console.log(
		"| | creates/s | p99, ms | event-loop delay p99, ms | failures | backups |\n|---|---:|---:|---:|---:|---:|",
	);
	for (let turn = 0; turn < 3; turn++) {
		for (const [what, more] of [["without", {}] as const, ["with backups", backups] as const]) {
			const { requestsPerSecond, p99Ms, delayMs, failures, backups } = await creates(key, more);
			const figures = [requestsPerSecond.toFixed(0), p99Ms.toFixed(1), delayMs.toFixed(1), failures, backups];
			console.log(`| ${what} | ${figures.join(" | ")} |`);
		}
	}
} finally {
	for (const cleanUp of cleanUps) cleanUp();
}
