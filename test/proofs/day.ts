// A long day: two nodes of each engine under mixed traffic, with edits, changes of the key's secret, and every few minutes
// a fault and a backup, which is restored. The first node lives from the first minute of a run to the last one.
//
// With --keep, a day consists of several runs. The folder has the stores, their backups, and for each store two files to
// which lines are added: history.jsonl (see Ledger) and rounds.jsonl, a line after each fault with the totals so far. A run
// that continues gives the key a new secret, compares the whole store with the history, and judges all rounds together.
// This holds after the end of a run and after its SIGKILL: what was sent without a reply may have happened or not, and
// the minutes since the last fault do not count. All processes of the earlier run must have ended. A day on which a run
// found anything wrong cannot be continued (failed.txt says what), but one whose figures were not flat can.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { ask } from "../support/caller.ts";
import { type Counts, type Day, startDay } from "../support/day.ts";
import { blockOf } from "../support/document-blocks.ts";
import { Ledger, listAll, readLines } from "../support/ledger.ts";
import { freePort, startPostgres } from "../support/postgres-server.ts";
import { type Running, runProgram, startProgram } from "../support/program.ts";
import { linux, type Proof, type Trial } from "../support/proof.ts";
import { runSql } from "../support/sql.ts";
import { bin, postgresTools } from "./pg-backup.ts";

const execute = promisify(execFile);

export const proof: Proof = {
	shows:
		"during a long day of mixed traffic and faults nothing is lost, repeated or shown out of date, " +
		"and memory, files, write-ahead log and latency stay flat, on both engines",
	needs: [linux, postgresTools],
	options: {
		minutes: { default: "480", text: "length of this run" },
		keep: { default: "", text: "folder of a day in several runs, which this run begins or continues" },
		pause: { default: "300", text: "seconds from one fault to the next" },
	},
	async prove(trial) {
		const folder = resolve(trial.option("keep") || trial.folder);
		const [sqlite, postgres] = await Promise.all([embedded(trial, folder), onServer(trial, folder)]);
		return { sqlite: summary("sqlite", sqlite), postgres: summary("postgres", postgres) };
	},
};

/** What a day needs of its engine. */
interface Engine {
	name: string;
	/** For the files of the day. */
	folder: string;
	databaseUrl: string;
	/** Settings of the first node. */
	settings: Record<string, string>;
	/** Faults of the store, by name, each with its end. */
	faults: Record<string, () => Promise<void>>;
	sizes(): Promise<{ walBytes: number; storeBytes: number }>;
	/** Backs the store up by the documented commands, and restores the backup as another store. */
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

async function embedded(trial: Trial, dayFolder: string) {
	const folder = join(dayFolder, "embedded");
	const backups = join(folder, "backups");
	mkdirSync(backups, { recursive: true });
	const file = join(folder, "animals.db");
	const environment = { DATABASE_URL: `sqlite:${file}` };
	const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
	return live(trial, {
		name: "sqlite",
		folder,
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
			await runWell(["backup", backup], environment);
			const madeMs = performance.now();
			await runWell(["restore", backup, "--to", restored], environment);
			return { databaseUrl: `sqlite:${restored}`, madeMs, remove };
		},
		async checkBackups() {
			const names = readdirSync(backups).filter((name) => name.endsWith(".db"));
			for (const name of names) await runWell(["verify", join(backups, name)]);
			return names.length;
		},
	});
}

async function onServer(trial: Trial, dayFolder: string) {
	const folder = join(dayFolder, "server");
	const files = join(folder, "postgres");
	mkdirSync(files, { recursive: true });
	// PostgreSQL has a user of its own, who makes its files there.
	chmodSync(dayFolder, 0o755);
	chmodSync(files, 0o777);
	// A server of the same version as the programs that back it up.
	const server = await startPostgres([], bin, files);
	trial.after(() => server.stop());
	const databaseUrl = `${server.url}/postgres`;
	return live(trial, {
		name: "postgres",
		folder,
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
			await execute("bash", ["-euc", blockOf("docs/postgresql.md", "dump=")], { cwd: folder, env });
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
	/** Of the day so far. */
	creates: number;
	/** The growth of the store since the sample before, by the creates since then. */
	bytesPerCreate: number;
	createP99Ms: number;
	readP99Ms: number;
}

/** The state after a fault, as it is written. */
interface Round {
	/** Of the day so far. */
	runs: number;
	minutes: number;
	counts: Counts;
	sample: Sample;
}

type Environment = Record<string, string>;

interface Key {
	id: string;
	key: string;
}

interface Nodes {
	/** Of commands and of both nodes. */
	environment: Environment;
	first: Running;
	all(): Running[];
	/** Old secrets of the key, which are no longer valid. */
	retired: string[];
	/** Of the second node. */
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

/** @returns the rounds of this run and of the earlier ones @throws if anything but the figures is wrong */
async function live(trial: Trial, engine: Engine): Promise<Round[]> {
	const failed = join(engine.folder, "failed.txt");
	assert.ok(!existsSync(failed), `an earlier run of this day failed: see ${failed}`);
	const nodes = await startNodes(trial, engine);
	const key = await ownKey(nodes.environment);
	try {
		return await spendDay(trial, engine, nodes, key);
	} catch (error) {
		writeFileSync(failed, `${error instanceof Error ? error.stack : error}\n`);
		throw error;
	}
}

async function spendDay(trial: Trial, engine: Engine, nodes: Nodes, { id, key }: Key): Promise<Round[]> {
	const file = join(engine.folder, "rounds.jsonl");
	const rounds: Round[] = readLines(file);
	const earlier = rounds.at(-1) ?? {
		runs: 0,
		minutes: 0,
		counts: { creates: 0, edits: 0, reads: 0, refused: 0, broken: 0 },
	};
	const ledger = new Ledger(join(engine.folder, "history.jsonl"));
	const urls = nodes.all().map(({ url }) => url);
	const day = await startDay({ urls, key, seed: trial.seed, ledger, counts: { ...earlier.counts } });
	trial.say(`${engine.name}: the store is as it was left after ${rounds.length} faults`);
	const faults = { ...engine.faults, ...nodes.faults };
	const fromMs = performance.now();
	const minutesSoFar = () => (performance.now() - fromMs) / 60_000;
	while (minutesSoFar() < Number(trial.option("minutes"))) {
		day.takeTimes();
		await sleep(Number(trial.option("pause")) * 1000);
		const sample = await measure(nodes.first, day, engine, rounds.at(-1)?.sample);
		trial.say(`${engine.name}: ${JSON.stringify(sample)}`);
		await changeSecret(day, id, nodes);
		const [name = "", run] = Object.entries(faults)[rounds.length % Object.keys(faults).length] ?? [];
		trial.say(`${engine.name}: ${name}`);
		await run?.();
		await day.isBack(30_000);
		await compareBackup(trial, engine, day, ledger);
		const [runs, minutes] = [earlier.runs + 1, earlier.minutes + minutesSoFar()];
		rounds.push({ runs, minutes, counts: { ...day.counts }, sample });
		ledger.sync();
		appendFileSync(file, `${JSON.stringify(rounds.at(-1))}\n`, { flush: true });
		// The log of the services would fill the memory of this process.
		for (const { output } of nodes.all()) output.stdout = "";
	}
	const animals = await day.end();
	ledger.sync();
	const backups = await engine.checkBackups();
	trial.say(`${engine.name}: ${animals} animals as known, ${backups} sound backups`);
	for (const node of nodes.all()) assert.equal((await node.stop()).code, 0);
	return rounds;
}

/** Compares the list of a service on a restored backup with what is known of the time of the backup. */
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

/** Runs a command, which has to succeed. @returns its standard output */
async function runWell(parameters: string[], environment: Environment = {}): Promise<string> {
	const { code, stdout, stderr } = await runProgram(parameters, { environment });
	assert.equal(code, 0, stderr);
	return stdout;
}

/** The key of the day, with a new secret. */
async function ownKey(environment: Environment): Promise<Key> {
	const run = (...parameters: string[]) => runWell(["keys", ...parameters], environment);
	const [known] = JSON.parse(await run("list", "--json"));
	if (known) return { id: known.id, key: (await run("rotate", known.id, "--grace", "1s")).trim() };
	return JSON.parse(await run("create", "--name", "day", "--scopes", "pets:read,pets:write,pets:edit", "--json"));
}

/** @throws if something was not flat in the last run, or over all runs */
function summary(engine: string, rounds: Round[]) {
	const { runs, minutes, counts } = rounds.at(-1) ?? assert.fail("no fault in so short a time");
	const judged = (name: string, some: Round[]) =>
		flat(
			`${engine}, ${name}`,
			some.map(({ sample }) => sample),
		);
	judged(
		"last run",
		rounds.filter((round) => round.runs === runs),
	);
	const figures = judged("all runs", rounds);
	const { creates, edits, reads } = counts;
	return { minutes: Math.floor(minutes), runs, faults: rounds.length, creates, edits, reads, ...figures };
}

/** Replaces the key's secret; the one before the last is refused by then. */
async function changeSecret(day: Day, id: string, { first: { url }, environment, retired }: Nodes) {
	const before = day.key;
	day.key = (await runWell(["keys", "rotate", id, "--grace", "20s"], environment)).trim();
	setTimeout(() => retired.push(before), 25_000).unref();
	for (const key of retired.splice(0)) {
		const { status } = await ask(`${url}/v1/pets`, { key });
		assert.ok(status === 401 || status === 503, `an old secret got ${status}`);
	}
}

async function measure({ pid }: Running, day: Day, engine: Engine, before?: Sample): Promise<Sample> {
	const times = day.takeTimes();
	const { creates } = day.counts;
	const { walBytes, storeBytes } = await engine.sizes();
	return {
		memoryMb: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024),
		files: readdirSync(`/proc/${pid}/fd`).length,
		walMb: Math.round(walBytes / 1e6),
		storeBytes,
		creates,
		bytesPerCreate: Math.round((storeBytes - (before?.storeBytes ?? 0)) / (creates - (before?.creates ?? 0))),
		createP99Ms: quantile(times.creates, 0.99),
		readP99Ms: quantile(times.reads, 0.99),
	};
}

function quantile(values: number[], share: number): number {
	const sorted = values.sort((a, b) => a - b);
	return Math.round(sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0);
}

/** How much more each may be at the end than at the start, beside a quarter. */
const slack = { memoryMb: 20, files: 10, walMb: 64, bytesPerCreate: 100, createP99Ms: 20, readP99Ms: 20 };

/** @returns the medians of the first and the last third @throws if one of them has grown */
function flat(whose: string, samples: Sample[]): Record<string, string> {
	const third = Math.ceil(samples.length / 3);
	const median = (part: Sample[], name: keyof Sample) =>
		quantile(
			part.map((one) => one[name]),
			0.5,
		);
	const figures: Record<string, string> = {};
	const grown: string[] = [];
	for (const name of Object.keys(slack) as (keyof typeof slack)[]) {
		const [early, late] = [median(samples.slice(0, third), name), median(samples.slice(-third), name)];
		figures[name] = `${early} to ${late}`;
		if (late > early * 1.25 + slack[name]) grown.push(`${name} from ${early} to ${late}`);
	}
	assert.ok(grown.length === 0, `${whose}: not flat: ${grown.join(", ")}`);
	return figures;
}
