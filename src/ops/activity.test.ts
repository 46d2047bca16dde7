// Replies per minute and their p95, with a clock that the test controls.

import assert from "node:assert/strict";
import { test } from "node:test";
import { minuteOf, watchActivity } from "./activity.ts";

const upToMs = [1, 2, 4];

test("each minute has its own replies and p95; the last one is not over; three hours are kept", (context) => {
	context.mock.timers.enable({ apis: ["setInterval"] });
	let counts = [100, 0, 0, 0];
	const activity = watchActivity({ upToMs, latency: () => [...counts] });
	context.after(() => activity.close());
	assert.deepEqual(activity.minutes(), [{ replies: 0 }], "replies before the start do not count");
	counts = [100, 10, 10, 0];
	const first = { replies: 20, p95Ms: 3.8 };
	assert.deepEqual(activity.minutes(), [first]);
	context.mock.timers.tick(60_000);
	assert.deepEqual(activity.minutes(), [first, { replies: 0 }]);
	counts = [100, 10, 10, 1];
	context.mock.timers.tick(60_000);
	const second = { replies: 1, p95Ms: 4 };
	assert.deepEqual(activity.minutes(), [first, second, { replies: 0 }]);
	context.mock.timers.tick(177 * 60_000);
	assert.deepEqual([activity.minutes().length, activity.minutes()[0]], [180, first]);
	context.mock.timers.tick(60_000);
	assert.deepEqual([activity.minutes().length, activity.minutes()[0]], [180, second]);
});

test("the p95 is interpolated linearly within a bucket", () => {
	const p95Of = (...counts: number[]) => minuteOf(upToMs, counts).p95Ms;
	assert.equal(p95Of(100, 0, 0, 0), 0.95);
	assert.equal(p95Of(95, 5, 0, 0), 1);
	assert.equal(p95Of(0, 90, 10, 0), 3);
	assert.equal(p95Of(0, 0, 0, 9), 4, "of longer times, only the last bound is known");
	assert.equal(p95Of(0, 0, 0, 0), undefined);
});
