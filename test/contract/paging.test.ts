// Paging during creates. model.test.ts follows links in both directions, with filters; the tests of cursors
// are in test/contract/corpus/queries and src/http/paging.test.ts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { linksOf, pathOf } from "../support/caller.ts";
import { type TestService, testService } from "../support/service.ts";

/** Follows `next` to the last page. @returns all ids, the number of pages, and the path of the last page (`last`) */
async function walk(service: TestService, start: string) {
	const ids: number[] = [];
	let path = start;
	for (let pages = 1; ; pages++) {
		assert.ok(pages < 2000, "a walk ends");
		const { status, headers, body } = await service.send({ path });
		assert.equal(status, 200);
		const page: { id: number }[] = JSON.parse(body);
		ids.push(...page.map(({ id }) => id));
		const { next } = linksOf({ headers });
		if (next === undefined) return { ids, pages, last: path };
		assert.ok(page.length > 0, "a next link never comes from an empty page");
		path = pathOf(next);
	}
}

test("reading all pages during creates neither skips nor repeats; the last page shows the rest", async (context) => {
	const service = await testService(context);
	let [created, isOver] = [0, false];
	const client = async () => {
		for (; created < 700; created++) await service.store.createPet({ name: "n", categoryId: 1n });
	};
	const done = Promise.all(Array.from({ length: 8 }, client)).finally(() => {
		isOver = true;
	});
	let seen = 0;
	const poll = async (path: string) => {
		const { ids, last } = await walk(service, path);
		const news = ids.filter((id) => id > seen);
		const expected = news.map((_, index) => seen + index + 1);
		assert.deepEqual(news, expected, "nothing is missed or repeated");
		seen += news.length;
		return last;
	};
	let last = await poll("/v1/pets?limit=7");
	while (!isOver) last = await poll(last);
	await done;
	await poll(last);
	assert.equal(seen, created);
});
