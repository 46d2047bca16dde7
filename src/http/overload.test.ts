// The two causes of overload: an event loop that is late by its own work, and creates that would wait too long.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../test/support/until.ts";
import { type Processor, watchOverload } from "./overload.ts";

const overloaded = { code: "overloaded", status: 503, retryAfterSeconds: 1 };
const calm = { isFull: false, expectedMs: 0 };

function isRefused(refuse: () => void): boolean {
	try {
		refuse();
		return false;
	} catch {
		return true;
	}
}

/** Delays the event loop. */
async function keepBusy(forMs = 200): Promise<void> {
	const endsAt = performance.now() + forMs;
	while (performance.now() < endsAt);
	await sleep(1);
}

/** A processor of which the thread uses this share, and the process twice as much. */
const using = (share: number, quota = Number.POSITIVE_INFINITY): Processor => ({
	threadMs: () => performance.now() * share,
	processMs: () => performance.now() * share * 2,
	quota: () => quota,
});

// The longer delay is longer than a sample takes.
for (const forMs of [200, 400])
	test(`an event loop whose own work delays it by ${forMs} ms is detected, and reads are refused until it ends`, async (context) => {
		// Other tests use the processor too: all time counts as this thread's.
		const overload = watchOverload(calm, using(1));
		context.after(() => overload.stop());
		const read = () => overload.refuse(false);
		const isDetected = async () => {
			await keepBusy(forMs);
			return isRefused(read);
		};
		await until("a late event loop to be detected", isDetected, { withinMs: 10_000, everyMs: 0 });
		await keepBusy(forMs);
		assert.throws(read, overloaded);
		await until("reads to be accepted again", () => !isRefused(read));
	});

test("an event loop that is late because others use the processor, or because the process was stopped, refuses nothing", async (context) => {
	const overload = watchOverload(calm, using(0.1));
	context.after(() => overload.stop());
	for (let turn = 0; turn < 10; turn++) {
		await keepBusy();
		overload.refuse(false);
	}
});

test("an event loop that is late because the process used up its quota of the processor is overloaded", async (context) => {
	const overload = watchOverload(calm, using(0.2, 0.5));
	context.after(() => overload.stop());
	const isDetected = async () => {
		await keepBusy();
		return isRefused(() => overload.refuse(false));
	};
	await until("a late event loop to be detected", isDetected, { withinMs: 10_000, everyMs: 0 });
});

test("creates are refused while too many wait for their commit, for as long as the store needs, and reads are not", (context) => {
	const queue = { ...calm };
	const overload = watchOverload(queue, using(0));
	context.after(() => overload.stop());
	overload.refuse(true);
	queue.isFull = true;
	for (const [expectedMs, retryAfterSeconds] of [
		[0, 1],
		[5_001, 6],
		[3_600_000, 60],
	]) {
		Object.assign(queue, { expectedMs });
		assert.throws(() => overload.refuse(true), { ...overloaded, retryAfterSeconds });
	}
	overload.refuse(false);
});
