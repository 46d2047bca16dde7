// Replies per minute and their p95, with a clock that the test controls.

import assert from "node:assert/strict";
import { createHistogram } from "node:perf_hooks";
import { test } from "node:test";
import { watchActivity } from "./activity.ts";

test("each minute has its own replies and p95; the last one is not over; three hours are kept", (context) => {
	context.mock.timers.enable({ apis: ["setInterval"] });
	const operationTimes = createHistogram();
	const reply = (count: number, ms: number) => {
		for (let index = 0; index < count; index++) operationTimes.record(ms * 1000);
	};
	const activity = watchActivity({ operationTimes });
	context.after(() => activity.close());
	assert.deepEqual(activity.minutes(), [{ replies: 0 }]);
	reply(18, 1);
	reply(2, 3);
	const first = { replies: 20, p95Ms: 3 };
	assert.deepEqual(activity.minutes().map(rounded), [first]);
	context.mock.timers.tick(60_000);
	assert.deepEqual(activity.minutes().map(rounded), [first, { replies: 0 }]);
	reply(1, 4);
	context.mock.timers.tick(60_000);
	const second = { replies: 1, p95Ms: 4 };
	assert.deepEqual(activity.minutes().map(rounded), [first, second, { replies: 0 }]);
	context.mock.timers.tick(177 * 60_000);
	assert.deepEqual([activity.minutes().length, activity.minutes().map(rounded)[0]], [180, first]);
	context.mock.timers.tick(60_000);
	assert.deepEqual([activity.minutes().length, activity.minutes().map(rounded)[0]], [180, second]);
});

/** The histogram keeps three digits. */
function rounded(minute: { replies: number; p95Ms?: number }) {
	return minute.p95Ms === undefined ? minute : { ...minute, p95Ms: Math.round(minute.p95Ms * 10) / 10 };
}
