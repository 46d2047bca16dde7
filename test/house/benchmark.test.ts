// `npm run bench`: latency includes waiting, a verdict needs more than the spread, and the plot escapes texts.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { type Measurement, names, verdictOf } from "../../bench/results.ts";
import { measureSteady } from "../../bench/steady.ts";
import { listenFor } from "../support/listen.ts";

function measurement(who: string, cpuMicros: number[]): Measurement {
	const others = { requestsPerSecond: 1, p50Ms: 1, p99Ms: 1, failures: 0, bytes: 1, rssMb: 1 };
	return { what: "get & <list>", who, rounds: cpuMicros.map((micros) => ({ ...others, cpuMicros: micros })) };
}

test("latency at a constant rate includes the time that a request waits for a stalled server", async (context) => {
	const stallMs = 400;
	let requests = 0;
	const server = createServer((_, response) => {
		// During the stall, the server replies to nothing else.
		if (++requests === 150) for (const until = performance.now() + stallMs; performance.now() < until; );
		response.end("{}");
	});
	const url = `http://127.0.0.1:${await listenFor(context, server)}/`;
	const latency = await measureSteady({ url, key: "", connections: 2, seconds: 1, perSecond: 200 });
	assert.equal(latency.failures, 0);
	// The stall delays 80 of 200 requests. Most of them are not sent meanwhile, because there are only two connections.
	assert.ok(latency.p99Ms > stallMs * 0.75, JSON.stringify(latency));
});

test("a figure is worse only if it is beyond the spread of both checkouts", () => {
	const before = measurement("before", [10, 11, 10.5]);
	assert.equal(verdictOf(measurement(names.ours, [12, 12.5, 11.5]), before), "worse");
	assert.equal(verdictOf(measurement(names.ours, [10.2, 11.2, 10.7]), before), "same", "worse within the spread");
	assert.equal(verdictOf(measurement(names.ours, [12, 10.9, 12]), before), "same", "one round was better");
	assert.equal(verdictOf(measurement(names.ours, [8, 9, 8.5]), before), "better");
});
