// Failures of background work: what they cause, and what they must not cause.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { createBackground } from "./background.ts";

test("each failure is reported, the first after a success as such, and no caller gets the error", async () => {
	const reported: unknown[] = [];
	const background = createBackground((...failure) => void reported.push(failure));
	const error = new Error("a bug, too");
	const fail = () => Promise.reject(error);
	const outcomes: boolean[] = [];
	for (const work of [fail, fail, async () => {}, fail]) outcomes.push(await background.run("sweep", work));
	assert.deepEqual(outcomes, [false, false, true, false]);
	assert.deepEqual(
		reported,
		[true, false, true].map((isFirst) => ["sweep", error, isFirst]),
	);
	await background.run("probe", fail);
	assert.deepEqual(reported.at(-1), ["probe", error, true]);
});

test("repeated work never overlaps itself, continues after a failure, and ends when it is stopped", async (context) => {
	context.mock.timers.enable({ apis: ["setInterval"] });
	let starts = 0;
	let latest = Promise.withResolvers<void>();
	const stop = createBackground().repeat("key use", 1000, () => {
		starts++;
		latest = Promise.withResolvers();
		return latest.promise;
	});
	context.mock.timers.tick(3000);
	assert.equal(starts, 1);
	latest.reject(new Error("away"));
	await tick();
	context.mock.timers.tick(1000);
	assert.equal(starts, 2);
	const stopped = stop();
	let isStopped = false;
	void stopped.then(() => {
		isStopped = true;
	});
	await tick();
	assert.equal(isStopped, false, "stop waits for the work under way");
	latest.resolve();
	await stopped;
	context.mock.timers.tick(3000);
	assert.equal(starts, 2);
});
