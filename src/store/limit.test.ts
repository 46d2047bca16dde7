// The limit of tasks that run at a time: a task that fails, or waits for too long, keeps no place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { createLimit } from "./limit.ts";
import { StorageUnavailable } from "./store.ts";

test("tasks run in their order, two at a time, also after some have failed or waited for too long", async (context) => {
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const limit = createLimit(2, 1000, "too late");
	const started: string[] = [];
	const ends = new Map<string, PromiseWithResolvers<string>>();
	const run = (name: string) =>
		limit(() => {
			started.push(name);
			ends.set(name, Promise.withResolvers());
			return (ends.get(name) as PromiseWithResolvers<string>).promise;
		});
	for (const round of [1, 2]) {
		started.length = 0;
		const [a, b, c] = ["a", "b", "c"].map(run);
		context.mock.timers.tick(600);
		const [d, e] = ["d", "e"].map(run);
		context.mock.timers.tick(400);
		await assert.rejects(c as Promise<string>, new StorageUnavailable("too late"));
		assert.deepEqual(started, ["a", "b"], `round ${round}`);
		ends.get("a")?.reject(new Error("failed"));
		await assert.rejects(a as Promise<string>, /failed/);
		await tick();
		assert.deepEqual(started, ["a", "b", "d"], "the task that waited for too long has left the queue");
		for (const name of ["b", "d"]) ends.get(name)?.resolve(name);
		assert.deepEqual(await Promise.all([b, d]), ["b", "d"]);
		await tick();
		assert.deepEqual(started, ["a", "b", "d", "e"]);
		ends.get("e")?.resolve("e");
		assert.equal(await e, "e");
		context.mock.timers.tick(1000);
	}
});
