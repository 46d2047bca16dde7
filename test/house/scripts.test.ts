// `npm run prove` reports unknown names, unknown options and missing tools. `npm run bench`: latency includes waiting, and a
// verdict needs more than the spread.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Measurement, names, verdictOf } from "../../bench/results.ts";
import { measureSteady } from "../../bench/steady.ts";
import { listenFor } from "../support/listen.ts";

const script = fileURLToPath(new URL("../prove.ts", import.meta.url));

function prove(parameters: string[], env = process.env) {
	const run = spawnSync(process.execPath, [script, ...parameters], { env, encoding: "utf8", timeout: 60_000 });
	return { code: run.status, output: run.stdout + run.stderr };
}

test("npm run prove: --help lists every proof; a name or option that none has is an error", () => {
	const help = prove(["--help"]);
	assert.equal(help.code, 0);
	for (const file of readdirSync(new URL("../proofs", import.meta.url)))
		assert.match(help.output, new RegExp(`^  ${file.replace(".ts", "")} +\\S`, "m"));
	const wrongName = prove(["--only", "nothing"]);
	assert.equal(wrongName.code, 2);
	assert.match(wrongName.output, /there is no proof nothing: .*crash/);
	const wrongOption = prove(["--only", "calls", "--kills", "2"]);
	assert.equal(wrongOption.code, 2);
	assert.match(wrongOption.output, /calls has no option --kills/);
});

test("npm run prove: a proof whose tools are missing names them, and fails", () => {
	const { code, output } = prove(["--only", "calls"], { ...process.env, PATH: "/nowhere" });
	assert.equal(code, 1);
	assert.match(output, /calls cannot run: .*strace \(Debian package strace\)/);
	assert.match(output, /lacks tools: 1 \(calls\)/);
});

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
