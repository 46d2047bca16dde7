// The replies to probes, a list and a create, on disks that npm test cannot have. The other rows of the table in
// docs/monitoring.md are checked by full.ts, the proof sync, test/operations/stopping.test.ts and tests of PostgreSQL.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, callerOf } from "../../support/caller.ts";
import { attempt, post } from "../../support/create.ts";
import { startProgram } from "../../support/program.ts";
import { newStore, type Trial } from "../../support/proof.ts";
import { until } from "../../support/until.ts";

interface Row {
	list: number;
	create: number;
	readyz: number;
	/** The field `writes` in the body of readyz. */
	writes: string;
	livez: number;
}

/** Lists and probes while each sync is slow, and on a disk that has become read-only, as docs/monitoring.md says. */
export async function proveProbes(trial: Trial) {
	const { create, ...slow } = await slowSync(trial);
	// The queue of creates is full, so only a create that arrives just after a commit is accepted.
	assert.match(String(create), /^(201|503)$/);
	assert.deepEqual(slow, { list: 200, readyz: 200, writes: "slow", livez: 200 });
	const readOnly = await readOnlyDisk(trial);
	assert.deepEqual(readOnly, { list: 200, create: 503, readyz: 200, writes: "failing", livez: 200 });
	return { slow: { create, ...slow }, readOnly };
}

/** Sends the create first, so that the probes can report its outcome. */
async function rowOf({ service, key }: Awaited<ReturnType<typeof served>>): Promise<Row> {
	const create = (await callerOf(service.url, key).create()).status;
	const status = async (path: string) => {
		const reply = await ask(service.url + path, { key });
		return { status: reply.status, body: JSON.parse(reply.body) };
	};
	const [list, ready, live] = [await status("/v1/pets"), await status("/readyz"), await status("/livez")];
	return { list: list.status, create, readyz: ready.status, writes: ready.body.writes, livez: live.status };
}

async function served(trial: Trial, name: string, more: { folder?: string; under?: string[]; env?: object } = {}) {
	const { environment, key } = await newStore(name, more.folder ?? trial.folder);
	const service = await startProgram(trial, { ...environment, ...more.env }, { under: more.under ?? [] });
	return { service, key };
}

/** Each sync takes two seconds, and creates arrive faster than the service can commit them. */
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
	const row = await rowOf(disk);
	await sleep(10_000);
	isOver = true;
	await load;
	agent.destroy();
	trial.say(`slow sync: no create waited longer than ${Math.round(slowestMs)} ms`);
	assert.ok(slowestMs < 3000 + 2 * 2000 + 1500, `a create waited ${slowestMs} ms`);
	return row;
}

/** After a disk error, the kernel makes a file system read-only, even for open files. */
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
	return rowOf(disk);
}

function onSync(fault: string): string[] {
	const inject = `inject=fsync,fdatasync:${fault}`;
	return ["strace", "-D", "-f", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", inject];
}
