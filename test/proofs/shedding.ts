// A service that others delay, by stopping it or by using its processor, refuses nothing as overloaded.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { type Running, startProgram } from "../support/program.ts";
import { linux, newStore, type Proof, program, type Trial } from "../support/proof.ts";

const clients = 64;
/** A 503 within this time after a SIGCONT is allowed. */
const allowedMs = 100;

export const proof: Proof = {
	shows: "a service that was stopped for 2 s, or gets a tenth of a core, refuses nothing as overloaded",
	needs: [linux, program("taskset", "util-linux")],
	async prove(trial) {
		const { environment, key } = await newStore("shedding", trial.folder);
		const service = await startProgram(trial, environment, { under: ["taskset", "-c", "0"] });
		const stopped = await afterStop(service, key);
		trial.say(`SIGSTOP of 2 s: ${stopped.late} of ${stopped.requests} refused later than ${allowedMs} ms after it`);
		const crowded = await amongBusyLoops(trial, service, key);
		trial.say(`beside nine busy loops: ${crowded.refused} of ${crowded.requests} refused`);
		assert.deepEqual([stopped.late, crowded.refused], [0, 0]);
		return { stopped, crowded };
	},
};

/** Lists over 64 connections. `stop` returns the times of the refusals, and the number of requests. */
function load({ url }: Running, key: string) {
	const agent = new Agent({ keepAlive: true });
	const refusedAtMs: number[] = [];
	let requests = 0;
	let isOver = false;
	const headers = { authorization: `Bearer ${key}` };
	const list = () =>
		new Promise<number | undefined>((resolve, reject) => {
			get(`${url}/v1/pets`, { agent, headers }, (reply) => {
				reply.resume().once("end", () => resolve(reply.statusCode));
			}).once("error", reject);
		});
	const work = Promise.all(
		Array.from({ length: clients }, async () => {
			while (!isOver) {
				const status = await list();
				requests++;
				if (status === 503) refusedAtMs.push(performance.now());
			}
		}),
	);
	const stop = async () => {
		isOver = true;
		await work;
		agent.destroy();
		return { refusedAtMs, requests };
	};
	return { stop };
}

async function afterStop(service: Running, key: string): Promise<{ requests: number; refused: number; late: number }> {
	const { stop } = load(service, key);
	const continuedAtMs: number[] = [];
	for (let round = 0; round < 5; round++) {
		await sleep(2000);
		service.process.kill("SIGSTOP");
		await sleep(2000);
		service.process.kill("SIGCONT");
		continuedAtMs.push(performance.now());
	}
	await sleep(2000);
	const { refusedAtMs, requests } = await stop();
	const isLate = (atMs: number) => !continuedAtMs.some((sinceMs) => atMs >= sinceMs && atMs < sinceMs + allowedMs);
	return { requests, refused: refusedAtMs.length, late: refusedAtMs.filter(isLate).length };
}

/** Nine programs that only compute run on the core of the service. */
async function amongBusyLoops(trial: Trial, service: Running, key: string) {
	const loops = Array.from({ length: 9 }, () =>
		spawn("taskset", ["-c", "0", process.execPath, "-e", "for(;;);"], { stdio: "ignore" }),
	);
	for (const loop of loops) trial.after(() => loop.kill("SIGKILL"));
	const { stop } = load(service, key);
	await sleep(30_000);
	const { refusedAtMs, requests } = await stop();
	return { requests, refused: refusedAtMs.length };
}
