// The limits of the bytes that clients have not taken.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createUnsent } from "./unsent.ts";

test("above the limit of a key or of all keys, connections are closed, the longest held first", () => {
	const unsent = createUnsent({ keyMaxBytes: 100, allMaxBytes: 250 });
	const closed: string[] = [];
	const holderOf = (name: string) => ({ caller: { id: name.charAt(0) }, cut: () => void closed.push(name) });
	const [a1, a2, b1, b2, c1, c2] = (["a1", "a2", "b1", "b2", "c1", "c2"] as const).map(holderOf);
	assert.ok(a1 && a2 && b1 && b2 && c1 && c2);
	unsent.hold(a1, 40);
	unsent.hold(a2, 60);
	unsent.hold(a1, 39);
	unsent.hold(a2, 62);
	assert.deepEqual(closed, ["a1"], "99, then 101 bytes; a2 was held again last");
	unsent.hold(b1, 30);
	unsent.hold(b2, 70);
	unsent.hold(c1, 80);
	unsent.hold(c2, 10);
	assert.deepEqual(closed, ["a1", "b1"], "252 bytes: b holds the most");
	for (const each of [a1, a2, b1, b2, c1, c2]) unsent.hold(each, 0);
	assert.equal(unsent.bytes(), 0, "nothing is counted any more");
	unsent.hold({ caller: undefined, cut: () => void closed.push("none") }, 101);
	assert.deepEqual([closed.at(-1), unsent.bytes()], ["none", 0]);
});
