// A long day: two nodes on each engine under mixed traffic with edits. Every few minutes the key's secret is replaced,
// a fault is caused, and a backup is made and restored. The first node runs from the first minute to the last.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { ask } from "../support/caller.ts";
import { type Day, startDay } from "../support/day.ts";
import { blockOf } from "../support/document-blocks.ts";
import { Ledger, listAll } from "../support/ledger.ts";
import { freePort, startPostgresFor } from "../support/postgres-server.ts";
import { type Running, runWell, startProgram } from "../support/program.ts";
import { linux, type Proof, type Trial } from "../support/proof.ts";
import { runSql } from "../support/sql.ts";
import { bin, postgresTools } from "./pg-backup.ts";

const execute = promisify(execFile);

export const proof: Proof = {
	shows:
		"in a long day of traffic and faults nothing is lost, repeated or out of date; memory, files and WAL stay flat",
	needs: [linux, postgresTools],
	options: {
		minutes: { default: "480", text: "length of the day" },
		pause: { default: "300", text: "seconds from one fault to the next" },
	},
	async prove(trial) {
		const [sqlite, postgres] = await Promise.all([embedded(trial), onServer(trial)]);
		return { sqlite, postgres };
	},
};

/** What each engine provides for the day. */
interface Engine {
	name: string;
	databaseUrl: string;
	/** Settings of the first node. */
	settings: Record<string, string>;
	/** Functions that cause a fault of the store and end it, by the fault's name. */
	faults: Record<string, () => Promise<void>>;
	sizes(): Promise<{ walBytes: number; storeBytes: number }>;
	/** Backs the store up with the documented commands, and restores the backup as another store. */
	restoreBackup(): Promise<Restored>;
	/** Checks the backups that a node has made. @returns their number */
	checkBackups(): Promise<number>;
}

interface Restored {
	databaseUrl: string;
	/** When the backup was complete. */
	madeMs: number;
	remove(): Promise<void>;
}

async function embedded(trial: Trial) {
	const folder = join(trial.folder, "embedded");
	const backups = join(folder, "backups");
	mkdirSync(backups, { recursive: true });
	const file = join(folder, "animals.db");
	const environment = { DATABASE_URL: `sqlite:${file}` };
	const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
	return live(trial, {
		name: "sqlite",
		databaseUrl: environment.DATABASE_URL,
		settings: { BACKUP_TO: backups, BACKUP_EVERY: "5m", BACKUP_KEEP: "3" },
		faults: {
			async "another program holds the lock for 2 s"() {
				const other = new Database(file);
				other.exec("BEGIN IMMEDIATE");
				await sleep(2000);
				other.close();
			},
		},
		sizes: async () => ({ walBytes: sizeOf(`${file}-wal`), storeBytes: sizeOf(file) }),
		async restoreBackup() {
			const [backup, restored] = [join(folder, "backup.db"), join(folder, "restored.db")];
			const remove = async () => {
				for (const path of [backup, restored, `${restored}-wal`, `${restored}-shm`]) rmSync(path, { force: true });
			};
			await remove();
			await runWell(["backup", backup], { environment });
			const madeMs = performance.now();
			await runWell(["restore", backup, "--to", restored], { environment });
			return { databaseUrl: `sqlite:${restored}`, madeMs, remove };
		},
		async checkBackups() {
			const names = readdirSync(backups).filter((name) => name.endsWith(".db"));
			for (const name of names) await runWell(["verify", join(backups, name)]);
			return names.length;
		},
	});
}

async function onServer(trial: Trial) {
	// The server has the same version as the programs that back it up.
	const server = await startPostgresFor(trial, [], bin);
	const { databaseUrl } = server;
	return live(trial, {
		name: "postgres",
		databaseUrl,
		settings: {},
		faults: {
			async "the server is killed"() {
				await server.kill();
				await sleep(1000);
				await server.start();
			},
			async "the server hangs for 3 s"() {
				server.signal("STOP");
				await sleep(3000);
				server.signal("CONT");
			},
			async "all connections break"() {
				await runSql(
					databaseUrl,
					"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
				);
			},
		},
		async sizes() {
			const read =
				"SELECT (SELECT sum(size) FROM pg_ls_waldir()) AS wal, pg_database_size(current_database()) AS store";
			const [row] = await runSql(databaseUrl, read);
			return { walBytes: Number(row?.["wal"]), storeBytes: Number(row?.["store"]) };
		},
		async restoreBackup() {
			const remove = async () => {
				await runSql(databaseUrl, "DROP DATABASE IF EXISTS restored WITH (FORCE)");
			};
			await remove();
			await runSql(databaseUrl, "CREATE DATABASE restored");
			const NEW_DATABASE_URL = `${server.url}/restored`;
			const env = { PATH: `${bin}:${process.env["PATH"]}`, DATABASE_URL: databaseUrl, NEW_DATABASE_URL };
			await execute("bash", ["-euc", blockOf("docs/postgresql.md", "dump=")], { cwd: trial.folder, env });
			return { databaseUrl: NEW_DATABASE_URL, madeMs: performance.now(), remove };
		},
		checkBackups: async () => 0,
	});
}

interface Sample {
	memoryMb: number;
	files: number;
	walMb: number;
	storeBytes: number;
	/** The number of creates since the day began. */
	creates: number;
	/** The store's growth since the previous sample, divided by the number of creates since then. */
	bytesPerCreate: number;
}

type Environment = Record<string, string>;

interface Key {
	id: string;
	key: string;
}

interface Nodes {
	/** The environment of commands and of both nodes. */
	environment: Environment;
	first: Running;
	all(): Running[];
	/** Old secrets of the key, which have expired. */
	retired: string[];
	/** Faults of the second node. */
	faults: Engine["faults"];
}

async function startNodes(trial: Trial, engine: Engine): Promise<Nodes> {
	const environment = { DATABASE_URL: engine.databaseUrl, RATE_LIMIT: "" };
	const first = await startProgram(trial, { ...environment, ...engine.settings });
	const [port, opsPort] = [String(await freePort()), String(await freePort())];
	const startSecond = () => startProgram(trial, { ...environment, PORT: port, OPS_PORT: opsPort });
	let second: Running = await startSecond();
	const faults: Engine["faults"] = {
		async "a node is killed"() {
			await second.stop("SIGKILL");
			second = await startSecond();
		},
		async "a node is restarted"() {
			assert.equal((await second.stop()).code, 0);
			second = await startSecond();
		},
		async "a node hangs for 3 s"() {
			second.process.kill("SIGSTOP");
			await sleep(3000);
			second.process.kill("SIGCONT");
		},
	};
	return { environment, first, all: () => [first, second], retired: [], faults };
}

/** @returns the figures @throws if anything is wrong, or a figure has grown */
async function live(trial: Trial, engine: Engine) {
	const nodes = await startNodes(trial, engine);
	const { id, key }: Key = JSON.parse(
		await runWell(["keys", "create", "--name", "day", "--scopes", "pets:read,pets:write,pets:edit", "--json"], {
			environment: nodes.environment,
		}),
	);
	const ledger = new Ledger();
	const urls = nodes.all().map(({ url }) => url);
	const day = await startDay({ urls, key, seed: trial.seed, ledger });
	const faults = Object.entries({ ...engine.faults, ...nodes.faults });
	const samples: Sample[] = [];
	const endMs = performance.now() + Number(trial.option("minutes")) * 60_000;
	while (performance.now() < endMs) {
		await sleep(Number(trial.option("pause")) * 1000);
		const sample = await measure(nodes.first, day, engine, samples.at(-1));
		trial.say(`${engine.name}: ${JSON.stringify(sample)}`);
		await changeSecret(day, id, nodes);
		const [name = "", run] = faults[samples.length % faults.length] ?? [];
		trial.say(`${engine.name}: ${name}`);
		await run?.();
		await day.isBack(30_000);
		await compareBackup(trial, engine, day, ledger);
		samples.push(sample);
		// Otherwise the services' log lines would fill the memory of this process.
		for (const { output } of nodes.all()) output.stdout = "";
	}
	const animals = await day.end();
	const backups = await engine.checkBackups();
	trial.say(`${engine.name}: ${animals} animals as expected, ${backups} valid backups`);
	for (const node of nodes.all()) assert.equal((await node.stop()).code, 0);
	return { faults: samples.length, ...day.counts, ...flat(engine.name, samples) };
}

/** Lists the animals of a restored backup, and checks that the ledger allows this list at the time of the backup. */
async function compareBackup(trial: Trial, engine: Engine, day: Day, ledger: Ledger): Promise<void> {
	const fromMs = performance.now();
	const { databaseUrl, madeMs, remove } = await engine.restoreBackup();
	const service = await startProgram(trial, { DATABASE_URL: databaseUrl, RATE_LIMIT: "" });
	const listed = await listAll(service.url, day.key);
	ledger.checkAll(listed, fromMs, madeMs);
	assert.equal((await service.stop()).code, 0);
	await remove();
	trial.say(`${engine.name}: a backup of ${listed.length} animals was restored`);
}

/** Replaces the key's secret, and asserts that expired secrets are refused. */
async function changeSecret(day: Day, id: string, { first: { url }, environment, retired }: Nodes) {
	const before = day.key;
	day.key = (await runWell(["keys", "rotate", id, "--grace", "20s"], { environment })).trim();
	setTimeout(() => retired.push(before), 25_000).unref();
	for (const key of retired.splice(0)) {
		const { status } = await ask(`${url}/v1/pets`, { key });
		assert.ok(status === 401 || status === 503, `an old secret got ${status}`);
	}
}

async function measure({ pid }: Running, day: Day, engine: Engine, before?: Sample): Promise<Sample> {
	const { creates } = day.counts;
	const { walBytes, storeBytes } = await engine.sizes();
	return {
		memoryMb: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024),
		files: readdirSync(`/proc/${pid}/fd`).length,
		walMb: Math.round(walBytes / 1e6),
		storeBytes,
		creates,
		bytesPerCreate: Math.round((storeBytes - (before?.storeBytes ?? 0)) / (creates - (before?.creates ?? 0))),
	};
}

/** How much each figure may grow from the first third to the last, in addition to 25 %. */
const slack = { memoryMb: 20, files: 10, walMb: 64, bytesPerCreate: 100 };

/** @returns each figure's medians in the first and the last third @throws if a figure has grown */
function flat(whose: string, samples: Sample[]): Record<string, string> {
	const third = Math.ceil(samples.length / 3);
	const median = (part: Sample[], name: keyof Sample) =>
		part.map((one) => one[name]).sort((a, b) => a - b)[Math.floor(part.length / 2)] ?? 0;
	const figures: Record<string, string> = {};
	const grown: string[] = [];
	for (const name of Object.keys(slack) as (keyof typeof slack)[]) {
		const [early, late] = [median(samples.slice(0, third), name), median(samples.slice(-third), name)];
		figures[name] = `${early} to ${late}`;
		if (late > early * 1.25 + slack[name]) grown.push(`${name} from ${early} to ${late}`);
	}
	assert.ok(grown.length === 0, `${whose}: has grown: ${grown.join(", ")}`);
	return figures;
}
