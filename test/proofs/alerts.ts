// The alerts of deploy/prometheus: their unit tests, promtool's check of /metrics, and each alert in a real Prometheus
// after its fault is caused. For this, the alerts' windows are shortened to seconds and their limits lowered.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { ask } from "../support/caller.ts";
import { isServing } from "../support/listen.ts";
import { freePort } from "../support/postgres-server.ts";
import { type Running, startProgram } from "../support/program.ts";
import { linux, newStore, type Proof, program, root, type Trial } from "../support/proof.ts";
import { until } from "../support/until.ts";
import { smallDisk } from "./full.ts";

const folderOfRules = fileURLToPath(new URL("../../deploy/prometheus", import.meta.url));

/** Replacements in alerts.yaml, with which each fault raises its alert within seconds. */
const shortened: [RegExp, string][] = [
	[/for: \w+/g, "for: 1s"],
	[/\[(5m|1h|6h|3d|10m|15m|1d)\]/g, "[10s]"],
	[/256 \* 1024 \* 1024/, "1024 * 1024"],
	[/2 \* 3600/, "10"],
	[/1891123200/, "0"],
];

export const proof: Proof = {
	shows: "the unit tests of deploy/prometheus pass; in a real Prometheus each alert begins and ends with its fault",
	needs: [linux, root, program("mount"), program("promtool", "prometheus"), program("prometheus")],
	async prove(trial) {
		for (const file of ["alerts.test.yaml", "removal.test.yaml"])
			execFileSync("promtool", ["test", "rules", join(folderOfRules, file)], { stdio: "pipe" });
		const { place } = smallDisk(trial, "disk", "16m");
		const { environment, key } = await newStore("alerts", place);
		const backups = { BACKUP_TO: join(trial.folder, "backups"), BACKUP_EVERY: "1s", BACKUP_KEEP: "1" };
		const variables = { ...environment, ...backups, OPS_PORT: String(await freePort()) };
		const start = () => startProgram(trial, variables);
		const service = await start();
		const database = environment.DATABASE_URL.slice("sqlite:".length);
		const metrics = (await ask(`${service.opsUrl}/metrics`)).body;
		execFileSync("promtool", ["check", "metrics"], { input: metrics });
		const url = await startPrometheus(new URL(service.opsUrl).host, trial);
		await until("the first scrape", async () => (await query(url, "animal_store_build_info")).length === 1);
		const isBackupOld = async () => (await firing(url)).includes("AnimalStoreBackupOld");
		await until("the alert of a start without the folder of the backups", isBackupOld);
		mkdirSync(backups.BACKUP_TO);
		await until("no alert without a fault", async () => (await firing(url)).length === 0);
		return { raised: await raiseAll({ service, start, key, database, url, place, trial }) };
	},
};

interface Fault {
	alerts: string[];
	fault: string;
	cause(): Promise<unknown> | unknown;
	/** Called repeatedly until the alerts are raised. */
	repeat?(): Promise<unknown>;
	end(): Promise<unknown> | unknown;
}

interface Setting {
	service: Running;
	/** Starts the service again, on the same operators' port. */
	start: () => Promise<Running>;
	key: string;
	database: string;
	url: string;
	place: string;
	trial: Trial;
}

/** Causes each fault, prints the time until its alert, ends the fault, and waits until the alert ends. */
async function raiseAll(setting: Setting): Promise<number> {
	let raised = 0;
	setting.trial.say("| alert | fault | raised after |");
	for (const { alerts, fault, cause, repeat, end } of faultsOf(setting)) {
		const startedAt = performance.now();
		await cause();
		for (const alert of alerts) {
			await until(
				`${alert} to be raised`,
				async () => {
					await repeat?.();
					return (await firing(setting.url)).includes(alert);
				},
				{ everyMs: 200 },
			);
			const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
			setting.trial.say(`| ${alert} | ${fault} | ${seconds} s |`);
			raised++;
		}
		await end();
		const isFiring = async (alert: string) => (await firing(setting.url)).includes(alert);
		for (const alert of alerts) await until(`${alert} to end`, async () => !(await isFiring(alert)), { everyMs: 200 });
	}
	return raised;
}

function faultsOf({ service, start, key, database, place, trial }: Setting): Fault[] {
	const pets = `${service.url}/v1/pets`;
	const body = JSON.stringify({ name: "x".repeat(250), categoryId: 1 });
	const create = async () => (await ask(pets, { key, body })).status;
	const read = () => ask(`${pets}?limit=1`, { key });
	const createMany = () => Promise.all(Array.from({ length: 200 }, create));
	const other = new Database(database);
	trial.after(() => other.close());
	let running = service;
	return [
		{
			alerts: ["AnimalStoreRemovedSoonStillCalled"],
			fault: "a key calls getPet in the last year",
			cause: create,
			repeat: () => ask(`${pets}/1`, { key }),
			end: () => {},
		},
		{
			alerts: ["AnimalStoreSlow"],
			fault: "creates wait 0.4 s for a lock",
			cause: () => {},
			async repeat() {
				other.exec("BEGIN IMMEDIATE");
				const created = Promise.all(Array.from({ length: 20 }, create));
				await sleep(400);
				other.exec("COMMIT");
				await created;
			},
			end: () => {},
		},
		{
			alerts: ["AnimalStoreWritesWaitLong"],
			fault: "another program locks the database for 4.5 s",
			cause: () => {
				other.exec("BEGIN IMMEDIATE");
				create().catch(() => {});
			},
			end: () => other.exec("COMMIT"),
		},
		{
			alerts: ["AnimalStoreWalGrows"],
			fault: "a reader that never ends, and creates",
			cause: () => other.exec("BEGIN; SELECT count(*) FROM pets"),
			repeat: createMany,
			end() {
				other.exec("COMMIT");
				other.pragma("wal_checkpoint(TRUNCATE)"); // The service limits the WAL to 16 MiB, which fills this disk.
			},
		},
		{
			alerts: [
				"AnimalStoreDiskAlmostFull",
				"AnimalStoreWritesRefused",
				"AnimalStoreErrorBudgetBurnsFast",
				"AnimalStoreErrorBudgetBurnsSlowly",
			],
			fault: "the disk is full",
			cause: () => spawnSync("dd", ["if=/dev/zero", `of=${place}/filler`, "bs=4k"]),
			repeat: createMany,
			end: () => rmSync(join(place, "filler")),
		},
		{
			alerts: ["AnimalStoreBackupOld"],
			fault: "the folder of the service's backups was removed",
			cause: () => renameSync(join(trial.folder, "backups"), join(trial.folder, "gone")),
			end: () => renameSync(join(trial.folder, "gone"), join(trial.folder, "backups")),
		},
		{
			alerts: ["AnimalStoreLogLinesDropped"],
			fault: "nobody reads the log",
			cause: () => service.process.stdout?.pause(),
			repeat: () => Promise.all(Array.from({ length: 1000 }, read)),
			end: () => service.process.stdout?.resume(),
		},
		{
			alerts: ["AnimalStoreDown"],
			fault: "SIGKILL of the service",
			cause: () => service.process.kill("SIGKILL"),
			async end() {
				running = await start();
			},
		},
		{
			alerts: ["AnimalStoreRestarts"],
			fault: "a service that ends after 1.5 s, and is started again",
			cause: () => {},
			async repeat() {
				await sleep(1500);
				await running.stop("SIGKILL");
				running = await start();
			},
			end: () => {},
		},
	];
}

async function startPrometheus(target: string, { folder, after }: Trial): Promise<string> {
	const rules = shortened.reduce(
		(text, [from, to]) => {
			assert.match(text, from);
			return text.replace(from, to);
		},
		readFileSync(join(folderOfRules, "alerts.yaml"), "utf8"),
	);
	writeFileSync(join(folder, "alerts.yaml"), rules);
	writeFileSync(
		join(folder, "prometheus.yaml"),
		`global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: [alerts.yaml]
scrape_configs: [{ job_name: animal-store, static_configs: [{ targets: ["${target}"] }] }]
`,
	);
	const port = await freePort();
	const parameters = [
		`--config.file=${join(folder, "prometheus.yaml")}`,
		`--storage.tsdb.path=${join(folder, "series")}`,
		`--web.listen-address=127.0.0.1:${port}`,
		"--query.lookback-delta=10s",
		"--log.level=error",
	];
	const prometheus = spawn("prometheus", parameters, { stdio: ["ignore", "ignore", "inherit"] });
	after(() => prometheus.kill("SIGKILL"));
	await once(prometheus, "spawn");
	const url = `http://127.0.0.1:${port}`;
	await until("Prometheus to answer", () => isServing(`${url}/-/ready`));
	return url;
}

async function query(url: string, expression: string): Promise<unknown[]> {
	const reply = await ask(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`);
	const { data } = JSON.parse(reply.body);
	return data.result;
}

async function firing(url: string): Promise<string[]> {
	const { data } = JSON.parse((await ask(`${url}/api/v1/alerts`)).body) as {
		data: { alerts: { state: string; labels: { alertname: string } }[] };
	};
	return data.alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname);
}
