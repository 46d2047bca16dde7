import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeptPages } from "./kept-pages.ts";
import { endOfList, type PageQuery, type PetPage } from "./store.ts";

const pageOf = (hasMore: boolean): PetPage => ({ pets: [{ id: 1n, name: "Rex", categoryId: 1n }], hasMore });
const queryOf = (after: number): PageQuery => ({ after: BigInt(after), limit: 1 });

test("only a full page is kept, and none on which a new animal could be", () => {
	const kept = createKeptPages();
	const page = pageOf(true);
	assert.equal(kept.keep(queryOf(0), page, "3"), page);
	assert.deepEqual(kept.find(queryOf(0)), { page, state: "3" });
	kept.keep(queryOf(1), pageOf(false), "3");
	assert.equal(kept.find(queryOf(1)), undefined);
	kept.keep({ upTo: 1n, limit: 1 }, page, "3");
	assert.equal(kept.find({ upTo: 1n, limit: 1 })?.page, page);
	for (const upTo of [2n, endOfList]) {
		kept.keep({ upTo, limit: 1 }, page, "3");
		assert.equal(kept.find({ upTo, limit: 1 }), undefined);
	}
});

test("queries that differ in anything have pages of their own", () => {
	const kept = createKeptPages();
	const queries: PageQuery[] = [
		{ after: 1n, limit: 1 },
		{ after: 1n, limit: 11 },
		{ after: 11n, limit: 1 },
		{ upTo: 1n, limit: 1 },
		{ after: 1n, limit: 1, status: "sold" },
		{ after: 1n, limit: 1, status: "pending" },
	];
	for (const [index, query] of queries.entries()) kept.keep(query, pageOf(true), String(index));
	assert.deepEqual(
		queries.map((query) => kept.find(query)?.state),
		queries.map((_, index) => String(index)),
	);
});

test("of more pages than fit, those that were asked for lately stay", () => {
	const kept = createKeptPages(10 * 268);
	for (let round = 0; round < 40; round++) {
		kept.keep(queryOf(round), pageOf(true), "0");
		assert.ok(kept.find(queryOf(0)), `the first page is asked for all the time, after ${round} others`);
	}
	const found = Array.from({ length: 40 }, (_, round) => kept.find(queryOf(round)) !== undefined);
	assert.ok(found.filter(Boolean).length <= 10, "no more than fit");
	assert.ok(found.at(-1));
});
