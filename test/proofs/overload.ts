// A minute of ten times the clients that the service is made for: it stays fast, small, and answers at once afterwards.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { measure } from "../../bench/load.ts";
import { post } from "../crash-proof.ts";
import { attempt } from "../full-disk.ts";
import { type Running, startProgram } from "../program.ts";
import { linux, newStore, type Proof, program } from "../proof.ts";

export const proof: Proof = {
	shows: "a minute of overload leaves memory bounded, replies fast, and the service well",
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
		return { calm, flood, memoryMB: Math.round(mostBytes / 1e6), recoveryMs: Math.round(recoveryMs) };
	},
};

async function memory({ opsUrl }: Running): Promise<number> {
	const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
	return Number(/^process_resident_memory_bytes (\d+)$/m.exec(metrics)?.[1]);
}
