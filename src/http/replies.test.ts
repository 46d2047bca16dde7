import assert from "node:assert/strict";
import { test } from "node:test";
import { createReplyMemory, type FinishedReply } from "./replies.ts";

const reply: FinishedReply = { body: "x".repeat(1000), tag: "", isSettled: true };

test("of more replies than fit, those that were used lately are remembered", () => {
	const memory = createReplyMemory(10 * 3600);
	for (let round = 0; round < 40; round++) {
		memory.add(`page ${round}`, reply);
		assert.ok(memory.find("page 0"), `the first is used all the time, after ${round} others`);
	}
	const found = Array.from({ length: 40 }, (_, round) => memory.find(`page ${round}`) !== undefined);
	assert.ok(found.filter(Boolean).length <= 10, "no more than fit");
	assert.ok(found.at(-1));
});

test("a reply is worth remembering when its key is used again, and a flood of keys that are used once has none", () => {
	const memory = createReplyMemory();
	assert.deepEqual([memory.isUsedAgain("a"), memory.isUsedAgain("b")], [false, false]);
	assert.deepEqual([memory.isUsedAgain("a"), memory.isUsedAgain("b")], [true, true]);
	const flood = Array.from({ length: 50_000 }, (_, index) => `/v1/pets?cursor=${index}`);
	assert.deepEqual(flood.filter(memory.isUsedAgain), []);
});
