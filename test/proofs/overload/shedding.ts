// A service that other programs delay, by stopping it or by using its processor, refuses no request as overloaded. With
// a quota of half a core, the service refuses excess requests.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ask } from "../../support/caller.ts";
import { type Running, startProgram } from "../../support/program.ts";
import { newStore, type Trial } from "../../support/proof.ts";
import { startReaders } from "../../support/readers.ts";
import { until } from "../../support/until.ts";

const clients = 64;
/** More connections than half a core answers in 150 ms. */
const crowd = 4000;
/** Each sends one request during the crowd. */
const politeClients = 20;
/** Upper bound of the polite clients' waits. */
const waitMaxMs = 2000;
/** A 503 within this time after a SIGCONT is allowed. */
const allowedMs = 100;

/** A service that was stopped for 2 s, or gets a tenth of a core, refuses nothing; with half a core, the excess. */
export async function proveShedding(trial: Trial) {
	const { environment, key } = await newStore("shedding", trial.folder);
	const service = await startProgram(trial, environment, { under: ["taskset", "-c", "0"] });
	const stopped = await afterStop(trial, service, key);
	trial.say(`SIGSTOP of 2 s: ${stopped.late} of ${stopped.requests} refused more than ${allowedMs} ms after it`);
	const crowded = await amongBusyLoops(trial, service, key);
	trial.say(`with nine busy loops: ${crowded.refused} of ${crowded.requests} refused`);
	assert.deepEqual([stopped.late, crowded.refused], [0, 0]);
	await service.stop();
	const limited = await underQuota(trial, environment, key);
	return { stopped, crowded, limited };
}

/** Sends lists over 64 connections during `work`. @returns their number, and the times of the refusals */
async function underLoad(trial: Trial, { url }: Running, key: string, work: () => Promise<unknown>) {
	const agent = new Agent({ keepAlive: true });
	trial.after(() => agent.destroy());
	const refusedAtMs: number[] = [];
	const readers = startReaders(clients, async () => {
		const reply = await ask(`${url}/v1/pets`, { key, agent });
		if (reply.status === 503) refusedAtMs.push(performance.now());
		return reply;
	});
	await work();
	await readers.stop();
	return { requests: readers.requests, refusedAtMs };
}

async function afterStop(trial: Trial, service: Running, key: string) {
	const continuedAtMs: number[] = [];
	const { requests, refusedAtMs } = await underLoad(trial, service, key, async () => {
		for (let round = 0; round < 5; round++) {
			await sleep(2000);
			service.process.kill("SIGSTOP");
			await sleep(2000);
			service.process.kill("SIGCONT");
			continuedAtMs.push(performance.now());
		}
		await sleep(2000);
	});
	const isLate = (atMs: number) => !continuedAtMs.some((sinceMs) => atMs >= sinceMs && atMs < sinceMs + allowedMs);
	return { requests, refused: refusedAtMs.length, late: refusedAtMs.filter(isLate).length };
}

/** Nine programs that only compute run on the service's core. */
async function amongBusyLoops(trial: Trial, service: Running, key: string) {
	const loops = Array.from({ length: 9 }, () =>
		spawn("taskset", ["-c", "0", process.execPath, "-e", "for(;;);"], { stdio: "ignore" }),
	);
	for (const loop of loops) trial.after(() => loop.kill("SIGKILL"));
	const { requests, refusedAtMs } = await underLoad(trial, service, key, () => sleep(30_000));
	for (const loop of loops) loop.kill("SIGKILL");
	return { requests, refused: refusedAtMs.length };
}

/**
 * A node with half a core serves a crowd that repeats requests at once, and clients that were connected before: Node
 * accepts one connection per round of its event loop, so a new client waits.
 */
async function underQuota(trial: Trial, environment: Record<string, string>, key: string) {
	const group = halfACore(trial);
	const service = await startProgram(trial, { ...environment, CONNECTIONS_PER_ADDRESS: String(2 * crowd) });
	writeFileSync(`${group}/cgroup.procs`, String(service.pid));
	const url = `${service.url}/v1/pets`;
	const polite = Array.from({ length: politeClients }, () => new Agent({ keepAlive: true }));
	for (const agent of polite) {
		trial.after(() => agent.destroy());
		await ask(url, { key, agent });
	}
	const duration = `-d${politeClients + 5}s`;
	const authorization = `Authorization: Bearer ${key}`;
	const parameters = ["-t1", `-c${crowd}`, duration, "--timeout", "10s", "-H", authorization, url];
	const crowding = promisify(execFile)("wrk", parameters);
	trial.after(() => crowding.child.kill("SIGKILL"));
	const waitsMs: number[] = [];
	for (const agent of polite) {
		await sleep(1000);
		const sentAtMs = performance.now();
		await ask(url, { key, agent });
		waitsMs.push(performance.now() - sentAtMs);
	}
	const { stdout } = await crowding;
	const [, requests = "0"] = /(\d+) requests in/.exec(stdout) ?? [];
	const [, refused = "0"] = /Non-2xx or 3xx responses: (\d+)/.exec(stdout) ?? [];
	const waitMs = Math.round(Math.max(...waitsMs));
	trial.say(`half a core: ${refused} of ${requests} refused; polite clients waited at most ${waitMs} ms`);
	assert.ok(Number(refused) > 0, "the excess is refused");
	assert.ok(waitMs < waitMaxMs, "a connected client gets a reply soon, even if it is a refusal");
	await sleep(2000);
	const after = await ask(url, { key });
	assert.equal(after.status, 200, "once the crowd has left, nothing is refused");
	await service.stop();
	return { requests: Number(requests), refused: Number(refused), waitMs };
}

/** Makes a control group (of version 1, or else 2) with half a core. @returns the group's folder */
function halfACore(trial: Trial): string {
	const mounts = readFileSync("/proc/mounts", "utf8");
	const first = /^\S+ (\S+) cgroup \S*\bcpu\b/m.exec(mounts)?.[1];
	const group = `${first ?? /^\S+ (\S+) cgroup2 /m.exec(mounts)?.[1]}/animal-store-${process.pid}`;
	mkdirSync(group);
	trial.after(async () => {
		await until("the end of the service", () => readFileSync(`${group}/cgroup.procs`, "utf8") === "");
		rmdirSync(group);
	});
	if (first === undefined) writeFileSync(`${group}/cpu.max`, "50000 100000");
	else writeFileSync(`${group}/cpu.cfs_quota_us`, "50000");
	return group;
}
