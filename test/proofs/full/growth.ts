// A service under rounds of load does not grow: its memory, its open files, the write-ahead log, and the bytes that each
// animal takes on disk.

import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { ask } from "../../support/caller.ts";
import { startSteadyLoad } from "../../support/mixed-load.ts";
import { startProgram } from "../../support/program.ts";
import { newDatabase, newStore, type Trial, type TrialStore } from "../../support/proof.ts";
import { runSql } from "../../support/sql.ts";

/** The animals that each round adds. */
const roundSize = 2000;

interface Sizes {
	walBytes: number;
	storeBytes: number;
}

/** How much each figure may grow from the first third of the rounds to the last, in addition to 25 %. */
const slack = { memoryMb: 20, files: 10, walMb: 64, bytesPerAnimal: 100 };

type Figures = Record<keyof typeof slack, number>;

/** @throws AssertionError if a figure has grown */
export async function proveNoGrowth(trial: Trial) {
	const onFile = await newStore("growth", trial.folder);
	const file = onFile.environment.DATABASE_URL.slice("sqlite:".length);
	const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
	const sizes = async () => ({ walBytes: sizeOf(`${file}-wal`), storeBytes: sizeOf(file) });
	const onServer = await newDatabase(trial);
	const read = "SELECT (SELECT sum(size) FROM pg_ls_waldir()) AS wal, pg_database_size(current_database()) AS store";
	const sizesOnServer = async () => {
		const [row] = await runSql(onServer.environment.DATABASE_URL, read);
		return { walBytes: Number(row?.["wal"]), storeBytes: Number(row?.["store"]) };
	};
	return { sqlite: await runRounds(trial, onFile, sizes), postgres: await runRounds(trial, onServer, sizesOnServer) };
}

async function runRounds(trial: Trial, { environment, key }: TrialStore, sizes: () => Promise<Sizes>) {
	const service = await startProgram(trial, environment);
	const samples: Figures[] = [];
	let { storeBytes } = await sizes();
	for (let round = 1; round <= Number(trial.option("rounds")); round++) {
		const load = startSteadyLoad([service.url], key);
		await load.acknowledges(roundSize);
		await load.stop();
		for (const query of ["", "?status=sold", "?limit=100"]) await ask(`${service.url}/v1/pets${query}`, { key });
		const now = await sizes();
		const status = readFileSync(`/proc/${service.pid}/status`, "utf8");
		samples.push({
			memoryMb: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024),
			files: readdirSync(`/proc/${service.pid}/fd`).length,
			walMb: Math.round(now.walBytes / 1e6),
			bytesPerAnimal: Math.round((now.storeBytes - storeBytes) / roundSize),
		});
		storeBytes = now.storeBytes;
		// Otherwise the service's log lines would fill the memory of this process.
		service.output.stdout = "";
	}
	assert.equal((await service.stop()).code, 0);
	return flat(samples);
}

/** @returns each figure's medians in the first and the last third @throws AssertionError if a figure has grown */
function flat(samples: Figures[]): Record<string, string> {
	const third = Math.ceil(samples.length / 3);
	const median = (part: Figures[], name: keyof Figures) =>
		part.map((one) => one[name]).sort((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0;
	const figures: Record<string, string> = {};
	for (const [name, more] of Object.entries(slack) as [keyof Figures, number][]) {
		const [early, late] = [median(samples.slice(0, third), name), median(samples.slice(-third), name)];
		figures[name] = `${early} to ${late}`;
		assert.ok(late <= early * 1.25 + more, `${name} has grown from ${early} to ${late}`);
	}
	return figures;
}
