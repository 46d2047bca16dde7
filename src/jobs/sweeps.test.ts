// When sweeps of old Idempotency-Keys run. test/store/suite.ts tests which keys they remove.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { createBackground } from "../store/background.ts";
import { startSweeps } from "./sweeps.ts";

test("a sweep goes on while it removes as much as it may, until it is stopped", async (context) => {
	context.mock.timers.enable({ apis: ["setInterval"] });
	let sweeps = 0;
	const sweepIdempotencyKeys = async (rows: number) => {
		assert.equal(rows, 10_000);
		if (sweeps === 3) await tick(); // A sweep is under way when they are stopped.
		return ++sweeps === 3 || sweeps > 9 ? rows - 1 : rows;
	};
	const stop = startSweeps({ sweepIdempotencyKeys }, createBackground(), () => 1);
	context.mock.timers.tick(89_999);
	assert.equal(sweeps, 0);
	context.mock.timers.tick(1);
	await tick();
	assert.equal(sweeps, 3);
	context.mock.timers.tick(90_000);
	await stop();
	assert.equal(sweeps, 4);
});
