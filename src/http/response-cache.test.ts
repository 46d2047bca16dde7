import assert from "node:assert/strict";
import { test } from "node:test";
import { type CachedReply, createCacheEntries } from "./response-cache.ts";

const reply: CachedReply = {
	json: "x".repeat(1000),
	version: { timeline: "", lastEdit: 0n, lastId: 0n },
	tag: "",
	isSettled: true,
};

test("of more replies than fit, those that were used lately are cached", () => {
	const cache = createCacheEntries(10 * 3600);
	for (let round = 0; round < 40; round++) {
		cache.add(`page ${round}`, reply);
		assert.ok(cache.find("page 0"), `the first is used all the time, after ${round} others`);
	}
	const found = Array.from({ length: 40 }, (_, round) => cache.find(`page ${round}`) !== undefined);
	assert.ok(found.filter(Boolean).length <= 10, "no more than fit");
	assert.ok(found.at(-1));
});

test("a reply is worth caching when its key is used again, and a flood of keys that are used once has none", () => {
	const cache = createCacheEntries();
	assert.deepEqual([cache.isUsedAgain("a"), cache.isUsedAgain("b")], [false, false]);
	assert.deepEqual([cache.isUsedAgain("a"), cache.isUsedAgain("b")], [true, true]);
	const flood = Array.from({ length: 50_000 }, (_, index) => `/v1/pets?cursor=${index}`);
	assert.deepEqual(flood.filter(cache.isUsedAgain), []);
});
