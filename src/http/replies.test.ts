import assert from "node:assert/strict";
import { test } from "node:test";
import { createReplyMemory, type Remembered } from "./replies.ts";

const remembered = (body: string): Remembered => ({
	reply: { body, tag: `"${body}"`, isCompressible: false },
	shown: { history: "", lastEdit: 0n, lastId: 0n },
	isSettled: true,
});

test("of more replies than fit, those that were used least recently are forgotten", () => {
	const body = "x".repeat(1000);
	const memory = createReplyMemory(10 * 2600);
	for (let round = 0; round < 40; round++) {
		memory.set(`page ${round}`, remembered(body));
		assert.ok(memory.get("page 0"), `the first is used all the time, after ${round} others`);
	}
	const known = Array.from({ length: 40 }, (_, round) => round).filter((round) => memory.get(`page ${round}`));
	assert.deepEqual(known, [0, 31, 32, 33, 34, 35, 36, 37, 38, 39]);
	memory.set("page 39", remembered("x".repeat(9 * 1000)));
	assert.deepEqual(
		known.filter((round) => memory.get(`page ${round}`)),
		[37, 38, 39],
		"a longer reply takes the place of several",
	);
	memory.set("page 39", remembered("x".repeat(20 * 1000)));
	assert.equal(memory.get("page 39"), undefined, "one that does not fit");
});

test("a reply is worth remembering when its key is used again, and a flood of keys that are used once has none", () => {
	const memory = createReplyMemory();
	assert.deepEqual([memory.isUsedAgain("a"), memory.isUsedAgain("b")], [false, false]);
	assert.deepEqual([memory.isUsedAgain("a"), memory.isUsedAgain("b")], [true, true]);
	const flood = Array.from({ length: 50_000 }, (_, index) => `/v1/pets?cursor=${index}`);
	assert.deepEqual(flood.filter(memory.isUsedAgain), []);
});
