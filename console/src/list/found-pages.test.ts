// The pages of a search: forward, back, and again after the first page was read once more.

import assert from "node:assert/strict";
import { test } from "node:test";
import { foundPage, newWalk } from "./found-pages.ts";

test("each page of a search knows its place and the page before, even where only the first reply has the total", () => {
	const walk = newWalk();
	const pages = 30;
	const show = (cursor?: string, reply: object = {}) => {
		const { found, next, prev } = foundPage(walk, pages, cursor, { pets: [], ...reply });
		return [found.before, found.total, found.isMore, prev, next];
	};
	assert.deepEqual(show(undefined, { next: "b", total: 90, isMore: true }), [0, 90, true, undefined, "b"]);
	assert.deepEqual(show("b", { next: "c" }), [pages, 90, true, "", "c"]);
	assert.deepEqual(show("c"), [2 * pages, 90, true, "b", undefined]);
	assert.deepEqual(show("b", { next: "d" }), [pages, 90, true, "", "d"], "the pages after it have moved");
	assert.deepEqual(show("d"), [2 * pages, 90, true, "b", undefined]);
	assert.deepEqual(
		show("", { next: "b", total: 70 }),
		[0, 70, undefined, undefined, "b"],
		"an exact total replaces it",
	);
	assert.deepEqual(show("b", { next: "d" }), [pages, 70, undefined, "", "d"]);
	assert.deepEqual(show("from a link", { next: "e" }), [undefined, 70, undefined, undefined, "e"]);
	assert.deepEqual(show("e"), [undefined, 70, undefined, undefined, undefined], "its place is unknown, too");
});
