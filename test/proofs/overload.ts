// A minute with ten times the clients that the service is made for.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { connect } from "node:net";
import Database from "better-sqlite3";
import { measure } from "../../bench/load.ts";
import { underWayMax } from "../../src/http/connection.ts";
import { lengthMax } from "../../src/store/group-commit.ts";
import { attempt, post } from "../support/create.ts";
import { type Running, startProgram } from "../support/program.ts";
import { linux, newStore, type Proof, program, type Trial } from "../support/proof.ts";
import { figureOf } from "../support/scrape.ts";
import { until } from "../support/until.ts";

export const proof: Proof = {
	shows: "during a minute of overload memory stays bounded and replies fast, and the service recovers",
	needs: [linux, program("wrk")],
	async prove(trial) {
		const { environment, key } = await newStore("overload", trial.folder);
		const service = await startProgram(trial, { ...environment, LOG_LEVEL: "info" });
		const load = { url: `${service.url}/v1/pets`, key, body: '{"name":"a","categoryId":1}' };
		const calm = await measure([{ pid: service.pid, load: { ...load, connections: 64, seconds: 10 } }]);
		let mostBytes = 0;
		const sampler = setInterval(async () => {
			mostBytes = Math.max(mostBytes, await memory(service));
		}, 1000);
		const flood = await measure([{ pid: service.pid, load: { ...load, connections: 640, seconds: 60 } }]);
		clearInterval(sampler);
		const endedAt = performance.now();
		while (
			(await post(service.url, key, new Agent(), attempt(1))).status !== 201 &&
			performance.now() - endedAt < 10_000
		);
		const recoveryMs = performance.now() - endedAt;
		assert.ok(recoveryMs < 2000, `a create took ${recoveryMs} ms after the flood`);
		assert.ok(mostBytes < 600e6, `memory grew to ${mostBytes} bytes`);
		assert.ok(flood.p99Ms < 1000, `p99 was ${flood.p99Ms} ms`);
		const full = await fillQueue(trial);
		trial.say(`with ${full.waiting} waiting creates: ${full.fullMB} MB, before: ${full.restMB} MB`);
		assert.ok(full.waiting === lengthMax && full.fullMB < 600);
		return { calm, flood, memoryMB: Math.round(mostBytes / 1e6), recoveryMs: Math.round(recoveryMs), full };
	},
};

const memory = (service: Running) => figureOf(service, "process_resident_memory_bytes");

/** Fills the queue with creates of the largest name, while another program holds the store's lock. */
async function fillQueue(trial: Trial): Promise<{ waiting: number; restMB: number; fullMB: number }> {
	const { environment, key } = await newStore("full-queue", trial.folder);
	const service = await startProgram(trial, { ...environment, CREATE_WAIT_MAX: "10m" });
	const restMB = Math.round((await memory(service)) / 1e6);
	const holder = new Database(environment.DATABASE_URL.slice("sqlite:".length));
	trial.after(() => holder.close());
	holder.exec("BEGIN IMMEDIATE");
	const body = JSON.stringify({ name: "🐾".repeat(255), categoryId: 1 });
	const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
	const create = `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
	for (let connection = 0; connection < lengthMax / underWayMax; connection++) {
		const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
		trial.after(() => socket.destroy());
		socket.on("error", () => {}).resume();
		socket.write(create.repeat(underWayMax));
	}
	const waiting = await until("a full queue", async () => {
		const count = await figureOf(service, "animal_store_writes_waiting");
		return count >= lengthMax && count;
	});
	return { waiting, restMB, fullMB: Math.round((await memory(service)) / 1e6) };
}
