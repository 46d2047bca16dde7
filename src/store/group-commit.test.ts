// Group commit: which writes are in a batch, and when each write is acknowledged or rejected.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../test/support/until.ts";
import { GroupCommit, lengthMax } from "./group-commit.ts";
import { StoreBusy } from "./store.ts";

type Outcome = { value: string } | { reason: string };

/** A group commit. The test itself resolves or rejects its batches. */
function commits(waitMaxMs?: number) {
	const batches: { writes: string[]; leftMs: number; done: PromiseWithResolvers<{ results: string[] }> }[] = [];
	const group = new GroupCommit<string, string>(
		(writes, leftMs) => {
			const done = Promise.withResolvers<{ results: string[] }>();
			batches.push({ writes, leftMs, done });
			return done.promise;
		},
		{ waitMaxMs, isLimited: (name) => name !== "unlimited" },
	);
	const outcomes = new Map<string, Outcome>();
	const write = (name: string) =>
		void group.write(name).then(
			(value) => {
				outcomes.set(name, { value });
			},
			(error: Error) => {
				outcomes.set(name, { reason: error.message });
			},
		);
	const finish = async (number: number) => {
		const batch = batches[number];
		batch?.done.resolve({ results: batch.writes.map((name) => `${name}!`) });
		await settled();
	};
	return { group, batches, outcomes, write, finish, writes: () => batches.map(({ writes }) => writes) };
}

const settled = () => new Promise(setImmediate);

test("only one batch is committed at a time, and writes that arrive meanwhile form the next, in call order", async () => {
	const { group, write, writes, finish, outcomes } = commits();
	write("a");
	await settled();
	for (const name of ["b", "c"]) write(name);
	assert.deepEqual(writes(), [["a"]]);
	assert.deepEqual([group.length, outcomes.size], [3, 0]);
	await finish(0);
	assert.deepEqual(writes(), [["a"], ["b", "c"]]);
	assert.deepEqual(Object.fromEntries(outcomes), { a: { value: "a!" } });
	await finish(1);
	assert.deepEqual(Object.fromEntries(outcomes), { a: { value: "a!" }, b: { value: "b!" }, c: { value: "c!" } });
	assert.equal(group.length, 0);
});

test("the writes of a tick are one batch, whose commit begins at the end of the tick", async () => {
	const { group, write, writes, finish } = commits();
	for (let round = 0; round < 2; round++) {
		write("a");
		await Promise.resolve();
		write("b");
		assert.equal(group.length, 2);
		await settled();
		assert.deepEqual(writes()[round], ["a", "b"]);
		await finish(round);
	}
	assert.equal(writes().length, 2);
});

test("a failed commit rejects all writes of its batch, and the next batch is committed", async () => {
	const { write, batches, finish, outcomes } = commits();
	write("a");
	await settled();
	for (const name of ["b", "c", "d"]) write(name);
	await finish(0);
	write("e");
	batches[1]?.done.reject(new Error("no room"));
	await settled();
	await finish(2);
	const reason = "no room";
	assert.deepEqual(Object.fromEntries(outcomes), {
		a: { value: "a!" },
		b: { reason },
		c: { reason },
		d: { reason },
		e: { value: "e!" },
	});
});

test("a commit has as long as its oldest write may still wait, or twice its expected duration", async (context) => {
	let nowMs = 1000;
	context.mock.method(performance, "now", () => nowMs);
	const { write, finish, batches } = commits(1000);
	for (const name of ["unlimited", "a"]) write(name);
	await settled();
	for (const [batch, tookMs] of [200, 700].entries()) {
		nowMs += 100;
		write("b");
		nowMs += tookMs - 100;
		await finish(batch);
	}
	const expectedMs = 200 + 0.3 * (700 - 200);
	assert.deepEqual(
		batches.map(({ leftMs }) => leftMs),
		[1000, 900, 2 * expectedMs],
	);
});

test("if every commit fails, all waiting writes are rejected, including the last one, and so are later writes", async () => {
	const refusal = new Error("failed");
	const group = new GroupCommit<string, string>(() => Promise.reject(refusal));
	const names = Array.from({ length: 2500 }, (_, index) => `${index}`);
	const outcomes = await Promise.allSettled(names.map((name) => group.write(name)));
	assert.ok(outcomes.every((outcome) => outcome.status === "rejected" && outcome.reason === refusal));
	await assert.rejects(group.write("later"), refusal);
	assert.equal(group.length, 0);
});

test("a write whose commit does not begin in time is rejected and never committed; those of the commit under way keep waiting", async () => {
	const { group, write, writes, finish, outcomes } = commits(50);
	write("a");
	await settled();
	for (const name of ["unlimited", "b"]) write(name);
	await until("some of its time to pass", () => group.oldestMs >= 25, { everyMs: 1 });
	write("c");
	await until("both writes to be rejected", () => outcomes.size === 2);
	const reason = new StoreBusy(0).message;
	assert.deepEqual(Object.fromEntries(outcomes), { b: { reason }, c: { reason } });
	assert.ok(group.oldestMs >= 50 && group.length === 2);
	write("later");
	await until("a later write to be rejected, too", () => outcomes.size === 3);
	write("d");
	await finish(0);
	await finish(1);
	assert.deepEqual(writes(), [["a"], ["unlimited", "d"]]);
	assert.deepEqual(outcomes.get("a"), { value: "a!" });
	assert.equal(group.oldestMs, 0);
});

test("the queue is full while a commit takes too long, or as long as the latest ones did, and never when it is empty", async () => {
	const { group, write, finish } = commits(50);
	write("a");
	assert.equal(group.isFull, false);
	await until("the commit to take too long", () => group.isFull);
	assert.ok(group.expectedMs > 50, "a refused create is repeated after this delay");
	await finish(0);
	assert.equal(group.isFull, false);
	write("b");
	assert.equal(group.isFull, true, "a create now would wait for two commits of that duration");
	await finish(1);
});

test("the queue is full when it has its maximum length", async () => {
	const { group, write } = commits();
	for (let number = 1; number < lengthMax; number++) write(String(number));
	assert.equal(group.isFull, false);
	write("last");
	assert.equal(group.isFull, true);
});

test("a new write is expected to wait for the commit under way, and for one of each thousand before it", async (context) => {
	let nowMs = 1000;
	context.mock.method(performance, "now", () => nowMs);
	const { group, write, finish } = commits();
	write("first");
	await settled();
	nowMs += 100;
	await finish(0);
	assert.equal(group.expectedMs, 100);
	write("second");
	await settled();
	nowMs += 10;
	for (let number = 0; number < 2500; number++) write(`waiting ${number}`);
	assert.equal(group.expectedMs, 390);
	nowMs += 30;
	assert.deepEqual([group.expectedMs, group.oldestMs], [360, 40]);
	await finish(1);
	assert.deepEqual(
		[group.expectedMs, group.oldestMs],
		[3 * 82, 30],
		"82 ms: mostly the first commit, partly the second",
	);
	for (const batch of [2, 3, 4]) await finish(batch);
	assert.equal(group.length, 0);
});

test("a batch has at most a thousand rows, or one write with more, and the queue counts rows", async () => {
	const batches: number[][] = [];
	const group = new GroupCommit<number, number>(
		async (sizes) => {
			batches.push(sizes);
			return { results: sizes };
		},
		{ sizeOf: (size) => size },
	);
	const sizes = [600, 300, 200, 1500, 1, 999, 1];
	const writing = Promise.all(sizes.map((size) => group.write(size)));
	assert.equal(group.length, 3601);
	assert.deepEqual(await writing, sizes);
	assert.deepEqual(batches, [[600, 300], [200], [1500], [1, 999], [1]]);
	assert.equal(group.length, 0);
	const slow = new GroupCommit<number, number>(() => new Promise(() => {}), { sizeOf: (size) => size, waitMaxMs: 20 });
	void slow.write(1);
	await settled();
	for (const round of [1, 2]) {
		await assert.rejects(slow.write(500), StoreBusy);
		assert.equal(slow.length, 1, `round ${round}: no row of an expired write is counted`);
	}
});
