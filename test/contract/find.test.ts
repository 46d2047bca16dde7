// `/console/find`: which animals it finds, how a search goes on, and that it holds up nobody else.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../src/keys/issue.ts";
import type { Store } from "../../src/store/store.ts";
import { assertFailure, type TestService, testService } from "../support/service.ts";
import { slowMs } from "../support/until.ts";

interface Found {
	pets: { id: number; name: string }[];
	searched: number;
	lastId: number;
	isComplete: boolean;
}

async function find({ send }: TestService, query: Record<string, string>): Promise<Found> {
	const { status, headers, body } = await send({ path: `/console/find?${new URLSearchParams(query)}` });
	assert.deepEqual([status, headers["cache-control"], headers["etag"]], [200, "no-store", undefined], body);
	return JSON.parse(body);
}

/** Goes on until the search is complete. @returns the ids, and the number of requests */
async function findAll(service: TestService, query: Record<string, string>): Promise<[ids: number[], calls: number]> {
	const ids: number[] = [];
	let searched = 0;
	for (let calls = 1, after = "0"; ; calls++) {
		const part = await find(service, { ...query, after });
		ids.push(...part.pets.map(({ id }) => id));
		searched += part.searched;
		assert.ok(part.pets.length <= 200);
		if (part.isComplete) {
			assert.equal(
				searched,
				[...ids, part.lastId].reduce((max, id) => Math.max(max, id)),
				"each animal once",
			);
			return [ids, calls];
		}
		after = String(part.lastId);
	}
}

const addAll = (store: Store, names: string[]) =>
	Promise.all(names.map((name) => store.createPet({ name, categoryId: 1n })));

test("a search finds names without regard to case and accents, by status too, and exactly", async (context) => {
	const service = await testService(context);
	await addAll(service.store, ["Müsli", "MUSLI II", "Mu\u0308sli", "Straße", "STRASSE", "50 % + x", "Rex"]);
	await service.store.createPet({ name: "Rex", categoryId: 9007199254740993n, status: "sold" });
	const names = async (name: string, more = {}) => (await find(service, { name, ...more })).pets.map(({ id }) => id);
	assert.deepEqual(await names("müSLI"), [1, 2, 3]);
	assert.deepEqual(await names("musli"), [1, 2, 3]);
	assert.deepEqual(await names("strasse"), [4, 5]);
	assert.deepEqual(await names("% + "), [6]);
	assert.deepEqual(await names("rex", { status: "sold" }), [8]);
	assert.deepEqual(await names("rex", { after: "7" }), [8]);
	const { body } = await service.send({ path: "/console/find?name=e&status=sold" });
	const rex = '{"id":8,"name":"Rex","categoryId":9007199254740993,"status":"sold"}';
	assert.equal(body, `{"pets":[${rex}],"searched":1,"lastId":8,"isComplete":true}`);
	const past = await service.send({ path: "/console/find?name=e&after=9223372036854775807" });
	assert.equal(past.body, '{"pets":[],"searched":0,"lastId":9223372036854775807,"isComplete":true}');
	for (const query of ["", "name=", `name=${"a".repeat(256)}`, "name=a&name=b", "name=a&after=x", "name=a&status=gone"])
		assertFailure(await service.send({ path: `/console/find?${query}` }), "invalid_parameter");
	assertFailure(await service.send({ path: "/console/find?name=a&limit=5" }), "unknown_parameter");
	const { key } = await createKey(service.issuer, { name: "writer", scopes: ["pets:write", "pets:edit"] });
	const Authorization = `Bearer ${key}`;
	assertFailure(await service.send({ path: "/console/find?name=a", headers: { Authorization } }), "insufficient_scope");
});

test("a long search goes on where it was, skips nothing, and holds up no other request", {
	timeout: slowMs, // It adds many animals.
}, async (context) => {
	const service = await testService(context);
	const count = 30_000;
	await addAll(
		service.store,
		Array.from({ length: count }, (_, index) => (index % 20 === 0 ? "Kleine Änne" : "Rex")),
	);
	const every20th = Array.from({ length: count / 20 }, (_, index) => 1 + 20 * index);
	const [found, calls] = await findAll(service, { name: "anne" });
	assert.deepEqual(found, every20th);
	assert.ok(calls >= every20th.length / 200, `${calls} requests`);
	// Between two steps of a search, a read that began after it is answered.
	let isSearching = true;
	const searching = findAll(service, { name: "nobody" }).then(([ids]) => {
		isSearching = false;
		assert.deepEqual(ids, []);
	});
	let answered = 0;
	for (; isSearching; answered++) await service.store.listPets({ after: 0n, limit: 1 });
	await searching;
	assert.ok(answered >= 20, `${answered} reads`);
});
