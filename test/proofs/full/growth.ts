// A service under rounds of load does not grow: its memory, its open files, the write-ahead log, and the bytes that each
// animal takes on disk.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../../support/caller.ts";
import { startSteadyLoad } from "../../support/mixed-load.ts";
import { startPostgresFor } from "../../support/postgres-server.ts";
import { type Running, runWell, startProgram } from "../../support/program.ts";
import { newStore, type Trial, type TrialStore, withKey } from "../../support/proof.ts";
import { runSql } from "../../support/sql.ts";

/** The animals that each round adds. */
const roundSize = 2000;

interface Sizes {
	walBytes: number;
	storeBytes: number;
}

interface Sample {
	memoryMb: number;
	files: number;
	walMb: number;
	storeBytes: number;
	bytesPerAnimal: number;
}

/** How much each figure may grow from the first third of the rounds to the last, in addition to 25 %. */
const slack = { memoryMb: 20, files: 10, walMb: 64, bytesPerAnimal: 100 };

/** @throws AssertionError if a figure has grown */
export async function proveNoGrowth(trial: Trial) {
	return { sqlite: await onFile(trial), postgres: await onServer(trial) };
}

async function onFile(trial: Trial) {
	const store = await newStore("growth", trial.folder);
	const file = store.environment.DATABASE_URL.slice("sqlite:".length);
	const backups = join(trial.folder, "growth-backups");
	mkdirSync(backups);
	const settings = { BACKUP_TO: backups, BACKUP_EVERY: "10s", BACKUP_KEEP: "3" };
	const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
	const sizes = async () => ({ walBytes: sizeOf(`${file}-wal`), storeBytes: sizeOf(file) });
	const figures = await runRounds(trial, store, sizes, settings);
	const made = readdirSync(backups, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".db"));
	assert.ok(made.length > 0);
	for (const name of made) await runWell(["verify", join(backups, name)]);
	return figures;
}

async function onServer(trial: Trial) {
	const { databaseUrl } = await startPostgresFor(trial);
	const read = "SELECT (SELECT sum(size) FROM pg_ls_waldir()) AS wal, pg_database_size(current_database()) AS store";
	return runRounds(trial, await withKey(databaseUrl), async () => {
		const [row] = await runSql(databaseUrl, read);
		return { walBytes: Number(row?.["wal"]), storeBytes: Number(row?.["store"]) };
	});
}

async function runRounds(
	trial: Trial,
	{ environment, key }: TrialStore,
	sizes: () => Promise<Sizes>,
	settings: Record<string, string> = {},
): Promise<Record<string, string>> {
	const service = await startProgram(trial, { ...environment, ...settings });
	const samples: Sample[] = [];
	let { storeBytes } = await sizes();
	for (let round = 1; round <= Number(trial.option("rounds")); round++) {
		const load = startSteadyLoad([service.url], key);
		await load.acknowledges(roundSize);
		await load.stop();
		for (const query of ["", "?status=sold", "?limit=100"]) await ask(`${service.url}/v1/pets${query}`, { key });
		const sample = measure(service, await sizes(), storeBytes);
		samples.push(sample);
		storeBytes = sample.storeBytes;
		// Otherwise the service's log lines would fill the memory of this process.
		service.output.stdout = "";
	}
	assert.equal((await service.stop()).code, 0);
	return flat(samples);
}

function measure({ pid }: Running, { walBytes, storeBytes }: Sizes, storeBytesBefore: number): Sample {
	return {
		memoryMb: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024),
		files: readdirSync(`/proc/${pid}/fd`).length,
		walMb: Math.round(walBytes / 1e6),
		storeBytes,
		bytesPerAnimal: Math.round((storeBytes - storeBytesBefore) / roundSize),
	};
}

/** @returns each figure's medians in the first and the last third @throws AssertionError if a figure has grown */
function flat(samples: Sample[]): Record<string, string> {
	const third = Math.ceil(samples.length / 3);
	const median = (part: Sample[], name: keyof Sample) =>
		part.map((one) => one[name]).sort((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0;
	const figures: Record<string, string> = {};
	for (const [name, more] of Object.entries(slack) as [keyof typeof slack, number][]) {
		const [early, late] = [median(samples.slice(0, third), name), median(samples.slice(-third), name)];
		figures[name] = `${early} to ${late}`;
		assert.ok(late <= early * 1.25 + more, `${name} has grown from ${early} to ${late}`);
	}
	return figures;
}
