// The replies of the probes, a list and a create in each state of a service, as one table.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../support/caller.ts";
import { attempt, post } from "../support/create.ts";
import { startPostgresFor } from "../support/postgres-server.ts";
import { type Running, startProgram } from "../support/program.ts";
import { linux, newStore, type Proof, program, root, type Trial, withKey } from "../support/proof.ts";
import { runSql } from "../support/sql.ts";
import { serviceWithStandby } from "../support/standby.ts";
import { until } from "../support/until.ts";
import { smallDisk } from "./full.ts";

interface Row {
	state: string;
	list: number;
	create: number;
	readyz: number;
	/** The field of that name in the body of readyz. */
	writes?: string | undefined;
	livez: number;
}

interface Served {
	service: Running;
	key: string;
}

export const proof: Proof = {
	shows: "the replies of /readyz, /livez, a list and a create on a full disk, after a failed sync, and so on",
	needs: [linux, root, program("mount"), program("mkfs.ext4"), program("strace")],
	async prove(trial) {
		const rows: Row[] = [];
		for (const state of [working, fullDisk, failedSync, slowSync, lostDatabase, replicaOnly, readOnlyDisk, upgraded]) {
			const row = await state(trial);
			rows.push(row);
			trial.say(lineOf(row));
		}
		// A create that arrives just after a commit is accepted.
		assert.match(String(rows[3]?.create), /^(201|503)$/);
		const expected: Row[] = [
			{ state: "working", list: 200, create: 201, readyz: 200, writes: "working", livez: 200 },
			{ state: "full disk", list: 200, create: 503, readyz: 200, writes: "failing", livez: 200 },
			{ state: "failed sync", list: 200, create: 503, readyz: 200, writes: "stopped", livez: 503 },
			{ state: "slow sync", list: 200, create: rows[3]?.create ?? 0, readyz: 200, writes: "slow", livez: 200 },
			{ state: "lost database", list: 503, create: 503, readyz: 503, writes: undefined, livez: 200 },
			{ state: "replica only", list: 503, create: 503, readyz: 503, writes: undefined, livez: 200 },
			{ state: "read-only disk", list: 200, create: 503, readyz: 200, writes: "failing", livez: 200 },
			{ state: "upgraded", list: 200, create: 503, readyz: 200, writes: "stopped", livez: 503 },
		];
		assert.deepEqual(rows, expected);
		const stopping = await whileStopping(trial);
		trial.say(lineOf(stopping));
		assert.deepEqual(stopping, {
			state: "stopping",
			list: 200,
			create: 201,
			readyz: 503,
			writes: undefined,
			livez: 200,
		});
		return { rows: [...rows, stopping].map(lineOf) };
	},
};

const lineOf = ({ state, list, create, readyz, writes = "-", livez }: Row) =>
	`${state.padEnd(14)} list ${list}  create ${create}  readyz ${readyz} writes ${writes.padEnd(8)} livez ${livez}`;

/** The create is first, so that the probes know its outcome. */
async function rowOf(state: string, { service, key }: Served): Promise<Row> {
	const agent = new Agent();
	const create = (await post(service.url, key, agent, attempt(1))).status;
	agent.destroy();
	const status = async (path: string) => {
		const reply = await ask(service.url + path, { key });
		return { status: reply.status, body: JSON.parse(reply.body) };
	};
	const [list, ready, live] = [await status("/v1/pets"), await status("/readyz"), await status("/livez")];
	return { state, list: list.status, create, readyz: ready.status, writes: ready.body.writes, livez: live.status };
}

async function served(trial: Trial, name: string, more: { folder?: string; under?: string[]; env?: object } = {}) {
	const { environment, key } = await newStore(name, more.folder ?? trial.folder);
	const service = await startProgram(trial, { ...environment, ...more.env }, { under: more.under ?? [] });
	return { service, key };
}

async function working(trial: Trial): Promise<Row> {
	return rowOf("working", await served(trial, "working"));
}

async function fullDisk(trial: Trial): Promise<Row> {
	const { place } = smallDisk(trial, "small", "2m");
	const disk = await served(trial, "full", { folder: place });
	await createUntilRefused(disk);
	return rowOf("full disk", disk);
}

async function failedSync(trial: Trial): Promise<Row> {
	const under = onSync("error=EIO:when=40+");
	const disk = await served(trial, "failed", { under });
	await createUntilRefused(disk);
	return rowOf("failed sync", disk);
}

/** Each sync takes two seconds, and creates arrive faster than they can be committed. */
async function slowSync(trial: Trial): Promise<Row> {
	const under = onSync("delay_enter=2000000:when=40+");
	const disk = await served(trial, "slow", { under, env: { CREATE_WAIT_MAX: "3s", CONNECTIONS_PER_ADDRESS: "0" } });
	const agent = new Agent({ keepAlive: true });
	let isOver = false;
	let slowestMs = 0;
	const clients = Array.from({ length: 1500 }, async (_, number) => {
		while (!isOver) {
			const startedAt = performance.now();
			const { status, headers } = await post(disk.service.url, disk.key, agent, attempt(number));
			slowestMs = Math.max(slowestMs, performance.now() - startedAt);
			if (status === 503) await sleep(1000 * Number(headers["retry-after"]));
		}
	});
	const load = Promise.all(clients);
	const ready = async () => JSON.parse((await ask(`${disk.service.url}/readyz`)).body) as { writes: string };
	await until("a queue that is full", async () => (await ready()).writes === "slow");
	const row = await rowOf("slow sync", disk);
	await sleep(10_000);
	isOver = true;
	await load;
	agent.destroy();
	trial.say(`slow sync: no create waited longer than ${Math.round(slowestMs)} ms`);
	assert.ok(slowestMs < 3000 + 2 * 2000 + 1500, `a create waited ${slowestMs} ms`);
	return row;
}

async function lostDatabase(trial: Trial): Promise<Row> {
	const server = await startPostgresFor(trial);
	const { environment, key } = await withKey(`${server.url}/postgres`);
	const service = await startProgram(trial, environment);
	await server.kill();
	return rowOf("lost database", { service, key });
}

/** The address of the lost primary leads to a replica that was not promoted: it may lag, so it is not read. */
async function replicaOnly(trial: Trial): Promise<Row> {
	const { service, key, primary, standby, lead } = await serviceWithStandby(trial);
	lead(standby);
	await primary.kill();
	return rowOf("replica only", { service, key });
}

/** The kernel makes a file system read-only after an error of its disk, also for files that are open. */
async function readOnlyDisk(trial: Trial): Promise<Row> {
	const image = join(trial.folder, "image");
	const folder = join(trial.folder, "mounted");
	mkdirSync(folder);
	writeFileSync(image, "");
	truncateSync(image, 16 * 1024 * 1024);
	execFileSync("mkfs.ext4", ["-q", image]);
	execFileSync("mount", ["-o", "loop", image, folder]);
	trial.after(() => execFileSync("umount", ["-l", folder]));
	const disk = await served(trial, "read-only", { folder });
	execFileSync("mount", ["-o", "remount,abort", folder]);
	return rowOf("read-only disk", disk);
}

async function upgraded(trial: Trial): Promise<Row> {
	const { environment, key } = await newStore("upgraded", trial.folder);
	const service = await startProgram(trial, environment);
	await runSql(environment.DATABASE_URL, "PRAGMA user_version = 99");
	return rowOf("upgraded", { service, key });
}

async function whileStopping(trial: Trial): Promise<Row> {
	const { service, key } = await served(trial, "stopping", { env: { STOP_DELAY: "20s" } });
	service.process.kill("SIGTERM");
	await until("readyz to fail", async () => (await ask(`${service.url}/readyz`)).status === 503);
	return rowOf("stopping", { service, key });
}

function onSync(fault: string): string[] {
	const inject = `inject=fsync,fdatasync:${fault}`;
	return ["strace", "-D", "-f", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", inject];
}

async function createUntilRefused({ service, key }: Served): Promise<void> {
	const agent = new Agent({ keepAlive: true });
	for (let number = 0; (await post(service.url, key, agent, attempt(number))).status === 201; number++)
		assert.ok(number < 200_000, "no create was refused");
	agent.destroy();
}
