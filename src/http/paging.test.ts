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

test("a cursor is bound to its direction, filter and store; no character of it can be changed", () => {
	const isRefused = (text: string, filter: object, reader = cursors) =>
		assert.throws(() => reader.read(text, filter), { code: "invalid_cursor" }, text);
	for (const filter of [{}, { status: "sold" }] as const) {
		const [forward, backward, last] = [{ after: 20n }, { upTo: 20n }, { upTo: endOfList }].map((position) =>
			cursors.write(position, filter),
		) as [string, string, string];
		for (const changed of [forward.replace(/k$/, "-k"), backward.replace(/-k$/, "k"), backward.replace(/-k$/, "--k")])
			isRefused(changed, filter);
		for (const cursor of [forward, backward, last]) {
			for (const [at, character] of [...cursor].entries())
				isRefused(cursor.slice(0, at) + (character === "a" ? "b" : "a") + cursor.slice(at + 1), filter);
			for (const changed of [`${cursor}0`, `0${cursor}`, cursor.slice(0, -1), `${cursor}=`]) isRefused(changed, filter);
			isRefused(`${cursor.slice(0, 22)}0${cursor.slice(22)}`, filter);
			isRefused(cursor, { status: "pending" });
			isRefused(cursor, filter, createCursors(Buffer.alloc(32, 8)));
		}
	}
});
