// A long day: two nodes of each engine under mixed traffic, with edits, changes of the key's secret, backups, and a fault
// every few minutes. The first node lives from the first minute to the last one.

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { type Day, startDay } from "../support/day.ts";
import { freePort, type PostgresServer, startPostgresFor } from "../support/postgres-server.ts";
import { type Running, runProgram, startProgram } from "../support/program.ts";
import { linux, type Proof, type Trial } from "../support/proof.ts";
import { runSql } from "../support/sql.ts";

export const proof: Proof = {
	shows:
		"during a long day of mixed traffic and faults nothing is lost, repeated or shown out of date, " +
		"and memory, files, write-ahead log and latency stay flat, on both engines",
	needs: [linux],
	options: {
		minutes: { default: "480", text: "length of the day" },
		pause: { default: "300", text: "seconds from one fault to the next" },
	},
	async prove(trial) {
		const [sqlite, postgres] = await Promise.all([embedded(trial), onServer(trial)]);
		return { minutes: trial.option("minutes"), sqlite, postgres };
	},
};

/** What a day needs of its engine. */
interface Engine {
	name: string;
	databaseUrl: string;
	/** Settings of the first node. */
	settings: Record<string, string>;
	/** Faults of the store, by name, each with its end. */
	faults: Record<string, () => Promise<void>>;
	sizes(): Promise<{ walBytes: number; storeBytes: number }>;
	/** Checks the backups. @returns their number */
	checkBackups(): Promise<number>;
}

async function embedded(trial: Trial) {
	const folder = join(trial.folder, "embedded");
	const backups = join(folder, "backups");
	mkdirSync(backups, { recursive: true });
	const file = join(folder, "animals.db");
	const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
	return live(trial, {
		name: "sqlite",
		databaseUrl: `sqlite:${file}`,
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
		async checkBackups() {
			const names = readdirSync(backups).filter((name) => name.endsWith(".db"));
			for (const name of names) {
				const { code, stderr } = await runProgram(["verify", join(backups, name)]);
				assert.equal(code, 0, stderr);
			}
			return names.length;
		},
	});
}

async function onServer(trial: Trial) {
	const server: PostgresServer = await startPostgresFor(trial);
	const databaseUrl = `${server.url}/postgres`;
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
		checkBackups: async () => 0,
	});
}

interface Sample {
	memoryMb: number;
	files: number;
	walMb: number;
	storeMb: number;
	createP99Ms: number;
	readP99Ms: number;
}

async function live(trial: Trial, engine: Engine) {
	const environment = { DATABASE_URL: engine.databaseUrl, RATE_LIMIT: "" };
	const scopes = "pets:read,pets:write,pets:edit";
	const made = await runProgram(["keys", "create", "--name", "day", "--scopes", scopes, "--json"], { environment });
	const { id, key } = JSON.parse(made.stdout);
	const first = await startProgram(trial, { ...environment, ...engine.settings });
	const [port, opsPort] = [String(await freePort()), String(await freePort())];
	const startSecond = () => startProgram(trial, { ...environment, PORT: port, OPS_PORT: opsPort });
	let second: Running = await startSecond();
	const faults: Engine["faults"] = {
		...engine.faults,
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
	const day = startDay([first.url, second.url], key, trial.seed);
	const samples: Sample[] = [];
	const endsAtMs = performance.now() + Number(trial.option("minutes")) * 60_000;
	const pauseMs = Number(trial.option("pause")) * 1000;
	let rounds = 0;
	for (; performance.now() < endsAtMs; rounds++) {
		day.takeTimes();
		await sleep(pauseMs);
		samples.push(await sample(first, day, engine));
		trial.say(`${engine.name}: ${JSON.stringify(samples.at(-1))}`);
		await changeSecret(day, id, first, environment);
		const [name = "", run] = Object.entries(faults)[rounds % Object.keys(faults).length] ?? [];
		trial.say(`${engine.name}: ${name}`);
		await run?.();
		await day.isBack(30_000);
	}
	const animals = await day.end();
	const backups = await engine.checkBackups();
	trial.say(`${engine.name}: ${animals} animals, ${backups} sound backups, ${JSON.stringify(judge(samples))}`);
	for (const node of [first, second]) assert.equal((await node.stop()).code, 0);
	const { creates, edits, reads } = day.counts;
	const { memoryMb, createP99Ms } = judge(samples);
	return { creates, edits, reads, faults: rounds, memoryMb, createP99Ms };
}

/** Replaces the key's secret; the one before the last is refused by then. */
async function changeSecret(day: Day, id: string, { url }: Running, environment: Record<string, string>) {
	const before = day.key;
	const { code, stdout, stderr } = await runProgram(["keys", "rotate", id, "--grace", "20s"], { environment });
	assert.equal(code, 0, stderr);
	day.key = stdout.trim();
	setTimeout(() => retired.push({ url, key: before }), 25_000).unref();
	for (const { url, key } of retired.splice(0)) {
		const { status } = await fetch(`${url}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
		assert.ok(status === 401 || status === 503, `an old secret got ${status}`);
	}
}
const retired: { url: string; key: string }[] = [];

async function sample({ pid }: Running, day: Day, engine: Engine): Promise<Sample> {
	const { creates, reads } = day.takeTimes();
	const { walBytes, storeBytes } = await engine.sizes();
	return {
		memoryMb: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024),
		files: readdirSync(`/proc/${pid}/fd`).length,
		walMb: Math.round(walBytes / 1e6),
		storeMb: Math.round(storeBytes / 1e6),
		createP99Ms: quantile(creates, 0.99),
		readP99Ms: quantile(reads, 0.99),
	};
}

function quantile(values: number[], share: number): number {
	const sorted = values.sort((a, b) => a - b);
	return Math.round(sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0);
}

/** How much more each may be at the end than at the start, beside a quarter. */
const slack = { memoryMb: 20, files: 10, walMb: 64, createP99Ms: 20, readP99Ms: 20 };

/** Compares the medians of the first and the last third. @returns both */
function judge(samples: Sample[]): Record<string, string> {
	const third = Math.ceil(samples.length / 3);
	const median = (part: Sample[], name: keyof Sample) =>
		quantile(
			part.map((one) => one[name]),
			0.5,
		);
	const figures: Record<string, string> = {};
	for (const name of Object.keys(slack) as (keyof typeof slack)[]) {
		const [early, late] = [median(samples.slice(0, third), name), median(samples.slice(-third), name)];
		figures[name] = `${early} to ${late}`;
		assert.ok(late <= early * 1.25 + slack[name], `${name} went from ${early} to ${late}`);
	}
	return figures;
}
