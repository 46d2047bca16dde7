// The count of a frequent event: one line for each second in which it happened.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createCountLog } from "./reply-watch.ts";

test("each event is counted in one line only: a second after the first, or at the end", (context) => {
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const lines: unknown[] = [];
	const { count, total, close } = createCountLog(
		{ warn: (...line) => void lines.push(line) },
		{ reason: "late" },
		"late",
	);
	const events = (times: number) => Array.from({ length: times }).forEach(count);
	for (const times of [3, 2]) {
		events(times);
		context.mock.timers.tick(1000);
		context.mock.timers.tick(1000);
	}
	events(4);
	close();
	assert.equal(lines.length, 3, "a stop does not wait");
	close();
	context.mock.timers.tick(1000);
	assert.deepEqual(
		lines,
		[3, 2, 4].map((times) => [{ reason: "late", count: times }, "late"]),
	);
	assert.equal(total(), 9);
});
