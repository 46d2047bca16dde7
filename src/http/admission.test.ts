// The two causes of overload (the process's own work delays the event loop, and creates would wait too long), and the
// windows of rate limits, with a clock that the test controls.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../../test/support/until.ts";
import type { KeyRow } from "../store/store.ts";
import { createRateLimits, type Processor, watchOverload } from "./admission.ts";

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

/** Blocks the event loop. */
async function keepBusy(forMs = 200): Promise<void> {
	const endsAt = performance.now() + forMs;
	while (performance.now() < endsAt);
	await sleep(1);
}

/** A simulated processor: the thread uses this share of it, and the process twice as much. */
const using = (share: number, quota = Number.POSITIVE_INFINITY): Processor => ({
	threadMs: () => performance.now() * share,
	processMs: () => performance.now() * share * 2,
	quota: () => quota,
});

// The second delay is longer than the time between two samples.
for (const forMs of [200, 400])
	test(`an event loop whose own work delays it by ${forMs} ms is detected, and reads are refused until it ends`, async (context) => {
		// `using(1)` counts all time as this thread's, because other tests use the processor, too. Only the time since the
		// latest sample may count. The thread's time before that is much longer here.
		let beforeMs = 1e9;
		const threadMs = () => {
			const ms = performance.now() + beforeMs;
			beforeMs = 0;
			return ms;
		};
		const overload = watchOverload(calm, { ...using(1), threadMs });
		context.after(() => overload.stop());
		const read = () => overload.refuse(false);
		const isDetected = async () => {
			await keepBusy(forMs);
			return isRefused(read);
		};
		for (let round = 0; round < 2; round++) {
			await until("a late event loop to be detected", isDetected, { withinMs: 10_000, everyMs: 0 });
			await keepBusy(forMs);
			assert.throws(read, overloaded);
			await until("reads to be accepted again", () => !isRefused(read));
			await sleep(300); // Calm ticks must not hide the next delay.
		}
	});

test("an event loop that is late because others use the processor, or because the process was stopped, refuses nothing", async (context) => {
	const overload = watchOverload(calm, using(0.5));
	context.after(() => overload.stop());
	for (let turn = 0; turn < 4; turn++) {
		await keepBusy();
		overload.refuse(false);
	}
});

test("an event loop that is late because the process used up its CPU quota is overloaded", async (context) => {
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

const caller = (id: string, rate?: string): KeyRow => ({
	id,
	name: id,
	scopes: [],
	rate,
	createdAtMs: 0,
	secret: { last4: "", createdAtMs: 0 },
});

test("a window starts with its first request, counts down, and is full again after its end", () => {
	let nowMs = 5000;
	const limits = createRateLimits({ requests: 2, windowSeconds: 10 }, () => nowMs);
	const count = () => {
		const counted = limits.count(caller("a"));
		return [counted?.headers["ratelimit"], counted?.refused?.retryAfterSeconds];
	};
	assert.deepEqual(count(), ['"key";r=1;t=10', undefined]);
	nowMs += 9001;
	assert.deepEqual(count(), ['"key";r=0;t=1', undefined]);
	assert.deepEqual(count(), ['"key";r=0;t=1', 1]);
	nowMs += 999;
	assert.deepEqual(count(), ['"key";r=1;t=10', undefined]);
});

test("a new rate of a key starts a new window, and each key has its own window", () => {
	const limits = createRateLimits(undefined, () => 0);
	assert.equal(limits.count(caller("a", "1/1m"))?.refused, undefined);
	assert.equal(limits.count(caller("a", "1/1m"))?.refused?.code, "rate_limited");
	assert.equal(limits.count(caller("b", "1/1m"))?.refused, undefined);
	assert.equal(limits.count(caller("a", "2/1m"))?.refused, undefined);
	assert.equal(limits.count(caller("a", "2/1h"))?.headers["ratelimit"], '"key";r=1;t=3600', "another window");
	assert.equal(limits.count(caller("a")), undefined, "without a rate there is no limit");
});

test("the rows of an import use up the window, and the next window is whole", () => {
	let nowMs = 0;
	const limits = createRateLimits({ requests: 10, windowSeconds: 60 }, () => nowMs);
	const count = () => limits.count(caller("a"))?.refused?.retryAfterSeconds;
	assert.equal(count(), undefined);
	assert.equal(limits.countItems(caller("a"), 25)?.ratelimit, '"key";r=0;t=60');
	assert.equal(count(), 60);
	nowMs = 61_000;
	assert.equal(count(), undefined);
	assert.equal(limits.countItems(caller("a"), 6)?.ratelimit, '"key";r=4;t=60');
});
