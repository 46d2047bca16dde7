// The reported state of writes, which depends on the outcomes of commits and of small test writes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../test/support/until.ts";
import { createBackground } from "./background.ts";
import { StorageUnavailable, type WriteQueue } from "./store.ts";
import { watchWrites } from "./write-watch.ts";

const empty: WriteQueue = { length: 0, oldestMs: 0, expectedMs: 0, isFull: false };
const unavailable = () => Promise.reject(new StorageUnavailable("full"));

test("a failed commit is reported, and small writes check until one succeeds", async () => {
	let probes = 0;
	let probe: () => Promise<unknown> = unavailable;
	const watch = watchWrites(
		() => {
			probes++;
			return probe();
		},
		{ background: createBackground() },
	);
	assert.equal(watch.state(empty), "working");
	await assert.rejects(watch.observe(unavailable()));
	assert.equal(watch.state(empty), "failing");
	assert.equal(probes, 0, "a fresh failure is not checked again");
	await until("a probe that fails", () => {
		assert.equal(watch.state(empty), "failing");
		return probes > 0;
	});
	probe = async () => {};
	await until("a probe that succeeds", () => watch.state(empty) === "working");
	assert.ok(probes < 20, `${probes} probes in seconds`);
	assert.equal(await watch.observe(Promise.resolve("result")), "result");
});

test("a commit that fails for its own reason does not change the state", async () => {
	const watch = watchWrites(async () => {}, { background: createBackground() });
	await assert.rejects(watch.observe(Promise.reject(new Error("a wrong number of results"))));
	assert.equal(watch.state(empty), "working");
});

test("working writes are slow while the queue is full; stopped ones stay stopped, and nothing is checked any more", async () => {
	let probes = 0;
	const watch = watchWrites(async () => void probes++, { background: createBackground() });
	assert.equal(watch.state({ ...empty, isFull: true }), "slow");
	await assert.rejects(watch.observe(unavailable()));
	assert.equal(watch.state({ ...empty, isFull: true }), "failing");
	watch.stop("a sync failed", false);
	await watch.observe(Promise.resolve());
	assert.equal(watch.state(empty), "stopped");
	assert.equal(probes, 0);
});

test("an outcome is trusted from when it is known: five seconds if writes work, one second if they fail", async (context) => {
	let nowMs = 0;
	context.mock.method(performance, "now", () => nowMs);
	let probes = 0;
	let isFull = true;
	const probe = async () => {
		probes++;
		if (isFull) await unavailable();
	};
	const watch = watchWrites(probe, { background: createBackground() });
	const probesAfter = async (ms: number) => {
		nowMs += ms;
		await Promise.all([watch.check(), watch.check()]);
		return probes;
	};
	nowMs = 60_000;
	await assert.rejects(watch.observe(unavailable()));
	assert.deepEqual([await probesAfter(999), await probesAfter(1)], [0, 1]);
	assert.deepEqual([await probesAfter(999), await probesAfter(1)], [1, 2]);
	isFull = false;
	assert.deepEqual([await probesAfter(999), await probesAfter(1)], [2, 3]);
	assert.deepEqual([watch.state(empty), await probesAfter(4999), await probesAfter(1)], ["working", 3, 4]);
	nowMs += 4999;
	await watch.observe(Promise.resolve());
	assert.deepEqual([await probesAfter(4999), await probesAfter(1)], [4, 5]);
});
