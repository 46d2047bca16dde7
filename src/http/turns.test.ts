// Turns by key: their order, their limits, and tasks that nobody waits for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { ApiError } from "../contract/errors.ts";
import type { Exchange } from "./exchange.ts";
import { inTurnsOf, Turns, turnLimits } from "./turns.ts";

function turnsOf(limits: { runningMax: number; keyRunningMax: number; keyMax: number }) {
	const turns = new Turns({ ...limits, tasks: "searches" });
	const begun: string[] = [];
	const ends = new Map<string, () => void>();
	const run = (task: string, left?: AbortSignal) =>
		turns.run(
			task.charAt(0),
			() => {
				begun.push(task);
				return new Promise<string>((resolve) => ends.set(task, () => resolve(task)));
			},
			left,
		);
	async function end(task: string): Promise<void> {
		await tick();
		ends.get(task)?.();
		await tick();
	}
	return { run, begun, end };
}

test("a key with much work delays another by one task, and is refused at once above its limit", async () => {
	const { run, begun, end } = turnsOf({ runningMax: 1, keyRunningMax: 1, keyMax: 4 });
	const all = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"].map((task) => run(task));
	const refused = new ApiError("overloaded", "4 searches of this API key are under way: wait until one has ended");
	await assert.rejects(run("a5"), refused);
	for (const task of ["a1", "b1", "c1", "a2", "b2", "a3"]) await end(task);
	assert.deepEqual(begun, ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
	await end("a4");
	assert.deepEqual(await Promise.all(all), ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]);
});

test("a key takes only its own places, and a failed task keeps none", async () => {
	const { run, begun, end } = turnsOf(turnLimits);
	const [a1] = [run("a1"), run("a2"), run("b1"), run("c1")];
	await tick();
	assert.deepEqual(begun, ["a1", "b1"]);
	await end("b1");
	assert.deepEqual(begun, ["a1", "b1", "c1"]);
	await end("c1");
	assert.deepEqual(begun, ["a1", "b1", "c1"], "the second place is for other keys");
	await end("a1");
	assert.deepEqual([begun.at(-1), await a1], ["a2", "a1"]);
	const failing = new Turns({ runningMax: 1, keyRunningMax: 1, keyMax: 1, tasks: "searches" });
	const bad = new Error("bad");
	const throws = () => {
		throw bad;
	};
	for (const fail of [throws, () => Promise.reject(bad), throws]) await assert.rejects(failing.run("a", fail), bad);
});

test("a task whose client has left leaves the queue", async () => {
	const { run, begun, end } = turnsOf({ runningMax: 1, keyRunningMax: 1, keyMax: 4 });
	const leaving = new AbortController();
	void run("a1");
	const gone = [1, 2, 3].map(() => run("a2", leaving.signal));
	const last = run("b1");
	leaving.abort(new Error("left"));
	for (const each of gone) await assert.rejects(each, /left/);
	await assert.rejects(run("a2", leaving.signal), /left/);
	await end("a1");
	assert.deepEqual(begun, ["a1", "b1"]);
	await end("b1");
	assert.equal(await last, "b1");
});

test("a task whose key was revoked while it waited is not done", async () => {
	const inTurn = inTurnsOf(new Turns({ runningMax: 1, keyRunningMax: 1, keyMax: 4, tasks: "searches" }));
	const revoked = new ApiError("invalid_credential");
	let isRevoked = false;
	const exchange = {
		caller: { id: "a" },
		watchLeaving: () => undefined,
		async checkAgain() {
			await tick();
			if (isRevoked) throw revoked;
		},
	} as unknown as Exchange;
	const done: string[] = [];
	const first = inTurn(exchange, async () => {
		done.push("first");
		isRevoked = true;
	});
	const second = inTurn(exchange, async () => done.push("second"));
	await assert.rejects(second, revoked);
	await first;
	assert.deepEqual(done, ["first"]);
});
