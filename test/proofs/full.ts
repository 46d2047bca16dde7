// Real full disks: a small tmpfs with the store is filled and then enlarged. Backups go to a disk that is too small. Also a
// disk that has become read-only, and a long load, which must not fill disk or memory by itself.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { ask, callerOf } from "../support/caller.ts";
import { attempt, idOf, post } from "../support/create.ts";
import { Ledger, listAll } from "../support/ledger.ts";
import { startSteadyLoad } from "../support/mixed-load.ts";
import { type Running, startProgram } from "../support/program.ts";
import { linux, newStore, type Proof, program, root, type Trial } from "../support/proof.ts";
import { figureOf } from "../support/scrape.ts";
import { until } from "../support/until.ts";
import { proveNoGrowth } from "./full/growth.ts";

export const proof: Proof = {
	shows:
		"a full disk refuses creates or fails backups with one sentence, reads continue, and all works again once there is " +
		"space; probes on a read-only disk; in a long load memory, files and WAL stay flat",
	needs: [linux, root, program("mount"), program("mkfs.ext4", "e2fsprogs")],
	options: { rounds: { default: "100", text: "rounds of the long load, on each engine" } },
	async prove(trial) {
		const store = await fillStore(trial);
		const backups = await fillBackups(trial);
		await proveReadOnly(trial);
		return { ...store, ...backups, growth: await proveNoGrowth(trial) };
	},
};

async function fillStore(trial: Trial) {
	const { place, makeRoom } = smallDisk(trial, "small", "2m");
	const { environment, key } = await newStore("full", place);
	const service = await startProgram(trial, environment);
	const { ledger, refused } = await proveFullDisk(service, key, makeRoom);
	await service.stop("SIGKILL");
	const again = await startProgram(trial, environment);
	ledger.verify(await listAll(again.url, key));
	return { acknowledged: ledger.acknowledged.size, refused };
}

/** The service makes backups to a disk that is smaller than the store. `npm test` tries the command. */
async function fillBackups(trial: Trial) {
	const store = await newStore("saved", trial.folder);
	const { place: to, makeRoom } = smallDisk(trial, "backups", "64k");
	const environment = { ...store.environment, BACKUP_TO: to, BACKUP_EVERY: "1s" };
	const service = await startProgram(trial, environment);
	const load = startSteadyLoad([service.url], store.key);
	await load.acknowledges(3000);
	await load.stop();
	const lines = (text: string) => service.output.stdout.split("\n").filter((line) => line.includes(text));
	const lastBackup = () => figureOf(service, "animal_store_last_backup_timestamp_seconds");
	const failed = () => lines('"backup failed"');
	const failures = await until("three failures", () => failed().length >= 3 && failed());
	for (const line of failures) assert.match(JSON.parse(line).reason, /^\S+ has \d+ MiB free, and a backup needs \d+: /);
	assert.equal(await lastBackup(), 0, "the alert about old backups fires");
	assert.equal((await callerOf(service.url, store.key).create()).status, 201);
	const ready = await ask(`${service.url}/readyz`);
	assert.deepEqual([ready.status, JSON.parse(ready.body)], [200, { status: "ok", writes: "working" }]);
	makeRoom();
	await until("a backup", async () => (await lastBackup()) > 0);
	await service.stop();
	const names = readdirSync(to, { recursive: true, encoding: "utf8" });
	assert.ok(!names.some((name) => name.includes(".new")), `a draft is left: ${names}`);
	return { failedBackups: failures.length };
}

/** Mounts a tmpfs; this needs root. @param size such as `2m` */
function smallDisk({ folder, after }: Trial, name: string, size: string) {
	const place = join(folder, name);
	mkdirSync(place);
	execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "none", place]);
	after(() => execFileSync("umount", ["-l", place]));
	const makeRoom = () => void execFileSync("mount", ["-o", "remount,size=64m", place]);
	return { place, makeRoom };
}

/** After a disk error, the kernel makes a file system read-only, even for open files: as docs/monitoring.md says. */
async function proveReadOnly(trial: Trial) {
	const image = join(trial.folder, "image");
	const folder = join(trial.folder, "mounted");
	mkdirSync(folder);
	execFileSync("truncate", ["--size=16M", image]);
	execFileSync("mkfs.ext4", ["-q", image]);
	execFileSync("mount", ["-o", "loop", image, folder]);
	trial.after(() => execFileSync("umount", ["-l", folder]));
	const { environment, key } = await newStore("read-only", folder);
	const service = await startProgram(trial, environment);
	const { get, create } = callerOf(service.url, key);
	execFileSync("mount", ["-o", "remount,abort", folder]);
	assert.equal((await create()).status, 503);
	assert.equal((await get()).status, 200);
	await assertFailing(service.url);
}

/** Asserts that the probes report that writes fail, and reads work. */
async function assertFailing(url: string): Promise<void> {
	for (const probe of ["readyz", "livez"]) {
		const { status, body } = await ask(`${url}/${probe}`);
		assert.deepEqual([status, body], [200, '{"status":"ok","writes":"failing"}'], probe);
	}
}

/**
 * Adds animals until the disk is full, and again after `makeRoom`.
 * @returns the ledger, which the caller can compare with the store after the service has stopped
 */
export async function proveFullDisk({ url }: Running, key: string, makeRoom: () => void) {
	const ledger = new Ledger();
	const agent = new Agent({ keepAlive: true });
	let [number, refused] = [0, 0];
	const send = async (): Promise<void> => {
		const sent = attempt(number++);
		const answer = await post(url, key, agent, sent);
		if (answer.status === 201) return ledger.acknowledge(sent, idOf(answer));
		assert.equal(answer.status, 503, answer.body);
		assert.match(answer.body, /"code":"storage_unavailable"/);
		assert.match(answer.headers["retry-after"] ?? "", /^\d+$/);
		assert.doesNotMatch(answer.body, /SQLITE|disk|\.db/i, "no internals");
		refused++;
	};
	while (refused < 20) {
		assert.ok(number < 200_000, "the disk becomes full");
		await Promise.all([send(), send(), send(), send()]);
	}
	ledger.verify(await listAll(url, key));
	await assertFailing(url);
	makeRoom();
	const refusedBefore = refused;
	for (let more = 0; more < 100; more++) await send();
	assert.equal(refused, refusedBefore, "with space again, no create is refused");
	ledger.verify(await listAll(url, key));
	agent.destroy();
	return { ledger, refused };
}
