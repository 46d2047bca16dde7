// The two causes of overload: a delayed event loop, and too many creates that wait for their commit.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../test/until.ts";
import { watchOverload, writesWaitingMax } from "./overload.ts";

const overloaded = { code: "overloaded", status: 503, retryAfterSeconds: 1 };

function isRefused(refuse: () => void): boolean {
	try {
		refuse();
		return false;
	} catch {
		return true;
	}
}

test("a delayed event loop is detected within seconds, reads are refused too, and accepted again after the delay", async (context) => {
	const overload = watchOverload(() => 0);
	context.after(() => overload.stop());
	const read = () => overload.refuse(false);
	const keepBusy = async () => {
		// Shorter than a sample takes, so that each sample has a delay in it.
		const endsAt = performance.now() + 200;
		while (performance.now() < endsAt);
		await sleep(1);
		return isRefused(read);
	};
	await until("a delayed event loop to be detected", keepBusy, { withinMs: 20_000, everyMs: 0 });
	assert.throws(read, overloaded);
	await until("reads to be accepted again", () => !isRefused(read));
});

test("creates are refused while too many wait for their commit, and reads are not", (context) => {
	let waiting = writesWaitingMax - 1;
	const overload = watchOverload(() => waiting);
	context.after(() => overload.stop());
	overload.refuse(true);
	waiting++;
	assert.throws(() => overload.refuse(true), overloaded);
	overload.refuse(false);
});
