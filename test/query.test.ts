// The query of listPets: an invalid value is refused by name, never corrected.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode } from "../src/contract/errors.ts";
import { assertFailure, create, testService } from "./service.ts";

const refused: [query: string, code: ErrorCode, named: RegExp][] = [
	...[
		"0",
		"101",
		"-1",
		"1.5",
		"1e1",
		"abc",
		"%D9%A3",
		"0x10",
		"",
		"%205",
		"+5",
		"020",
		"00",
		"9".repeat(400),
		"5%00",
		"null",
		"true",
	].map((limit): [string, ErrorCode, RegExp] => [
		`limit=${limit}`,
		"invalid_parameter",
		/^limit must be an integer from 1 to 100/,
	]),
	["limit", "invalid_parameter", /^limit must be/],
	["limit=5&limit=5", "invalid_parameter", /^limit must be .* given once/],
	...["", "Sold", "sold%20", "sold,pending", "sold%00", "sold'%20OR%201=1--", "%FF", "null"].map(
		(status): [string, ErrorCode, RegExp] => [
			`status=${status}`,
			"invalid_parameter",
			/^status must be one of "available", "pending", "sold"/,
		],
	),
	["status=sold&status=sold", "invalid_parameter", /^status/],
	["limit=0&status=Sold", "invalid_parameter", /limit must be.*; status must be/],
	["cursor=", "invalid_parameter", /^cursor/],
	["cursor=a&cursor=b", "invalid_parameter", /^cursor/],
	["cursor=garbage", "invalid_cursor", /start again/],
	[`cursor=${"A".repeat(22)}1`, "invalid_cursor", /cursor/],
	[`cursor=${"A".repeat(10_000)}`, "invalid_cursor", /cursor/],
	["cursor=%FF%00", "invalid_cursor", /cursor/],
	["staus=sold", "unknown_parameter", /"staus"; known ones are limit, status, cursor/],
	["page=2&limit=5", "unknown_parameter", /"page"/],
	["limit[]=5", "unknown_parameter", /"limit\[\]"/],
	["Limit=5", "unknown_parameter", /"Limit"/],
	["__proto__=1&constructor=2", "unknown_parameter", /"__proto__", "constructor"/],
	[Array.from({ length: 1000 }, (_, index) => `p${index}=1`).join("&"), "unknown_parameter", /and 995 more/],
];

test("every wrong query value or name is 400 and named in the message", async (context) => {
	const { send } = await testService(context);
	for (const [query, code, named] of refused) {
		const reply = await send({ path: `/v1/pets?${query}` });
		assertFailure(reply, code);
		assert.match(JSON.parse(reply.body).message, named, query.slice(0, 60));
	}
	const posted = await send({ ...create({ name: "a", categoryId: 1 }), path: "/v1/pets?limit=5" });
	assertFailure(posted, "unknown_parameter");
	assert.match(posted.body, /takes none/);
	assert.equal((await send({ path: "/v1/pets?" })).body, "[]", "nothing was stored");
});

test("limit is from 1 to 100 and defaults to 20; status filters by status", async (context) => {
	const { send, store } = await testService(context);
	await Promise.all(
		Array.from({ length: 150 }, (_, index) =>
			store.createPet({ name: `n${index}`, categoryId: 1n, ...(index % 3 === 0 && { status: "sold" as const }) }),
		),
	);
	const list = async (query: string) =>
		JSON.parse((await send({ path: `/v1/pets${query}` })).body) as { status?: string }[];
	assert.equal((await list("")).length, 20);
	for (const limit of [1, 2, 99, 100]) assert.equal((await list(`?limit=${limit}`)).length, limit);
	assert.equal((await list("?limit=%35")).length, 5);
	const sold = await list("?status=sold&limit=100");
	assert.equal(sold.length, 50);
	assert.ok(sold.every(({ status }) => status === "sold"));
	assert.deepEqual(await list("?status=pending"), []);
});
