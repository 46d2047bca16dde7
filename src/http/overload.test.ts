// The two ways to be overloaded: an event loop that is late, and too many creates that wait.

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

test("an event loop that is late is noticed within seconds, reads are refused too, and it is over when the loop is in time", async (context) => {
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
	await until("a late event loop to be noticed", keepBusy, { withinMs: 20_000, everyMs: 0 });
	assert.throws(read, overloaded);
	await until("it to be over", () => !isRefused(read));
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
