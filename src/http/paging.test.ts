// Clients keep cursors, so the form of a cursor is a promise.

import assert from "node:assert/strict";
import { test } from "node:test";
import { endOfList } from "../store/store.ts";
import { createCursors } from "./paging.ts";

const cursors = createCursors(Buffer.alloc(32, 7));

test("forward cursors that earlier versions issued still work", () => {
	assert.deepEqual(cursors.read("mm2KR4c44kMDEJr6v-ZfXRk", {}), { after: 20n });
	assert.deepEqual(cursors.read("jE_zR7iNkPlfCT1zkxXvrD2gosa7pa2gx", { status: "sold" }), { after: 9007199254740993n });
});

test("a cursor is read as it was written, in both directions and up to the largest id", () => {
	for (const id of [0n, 1n, 36n ** 10n, 2n ** 53n + 1n, endOfList]) {
		for (const position of [{ after: id }, { upTo: id }]) {
			for (const filter of [{}, { status: "sold" }] as const) {
				assert.deepEqual(cursors.read(cursors.write(position, filter), filter), position);
			}
		}
	}
});

test("the direction of a cursor is signed", () => {
	const forward = cursors.write({ after: 20n }, {});
	const backward = cursors.write({ upTo: 20n }, {});
	for (const changed of [forward.replace(/k$/, "-k"), backward.replace(/-k$/, "k"), backward.replace(/-k$/, "--k")]) {
		assert.throws(() => cursors.read(changed, {}), { code: "invalid_cursor" });
	}
});
