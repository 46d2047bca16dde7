// POST /console/imports adds many animals in one request and one transaction. Each row's key adds its animal only once.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ImportedRows } from "../../src/contract/console.ts";
import { createKey } from "../../src/keys/issue.ts";
import { StorageUnavailable } from "../../src/store/store.ts";
import { posting, type TestRequest } from "../support/pool.ts";
import { assertFailure, consoleReply, create, type TestService, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { Connection, createHead } from "../support/wire.ts";

const post = posting("/console/imports");
const importOf = (rows: unknown, headers = {}) => post(typeof rows === "string" ? rows : { rows }, headers);

async function resultsOf(service: TestService, rows: unknown, headers = {}): Promise<Record<string, unknown>[]> {
	return JSON.parse(await consoleReply(service, importOf(rows, headers))).results;
}

const row = (number: number, more = {}) => ({ key: `k-${number}`, name: `animal ${number}`, categoryId: 1, ...more });

test("rows get ids in their order without a gap, even during creates; faults name row and field", async (context) => {
	const service = await testService(context);
	const rows = Array.from({ length: 300 }, (_, n) => row(n));
	const some = [row(1000, { categoryId: "4" }), { name: "Rex" }, 7];
	const broken = [...some, row(1001, { key: "" }), row(1002, { status: "gone" })];
	const creates = Array.from({ length: 20 }, () => service.send(create({ name: "other", categoryId: 2 })));
	const [results] = await Promise.all([resultsOf(service, [...rows, ...broken]), ...creates]);
	const ids = results.slice(0, 300).map(({ outcome, id }) => outcome === "added" && Number(id));
	const isNext = ids.map((id, at) => id === Number(ids[0]) + at);
	assert.ok(!isNext.includes(false), `${ids}`);
	const refused = results.slice(300) as { outcome: string; faults: { field?: string }[] }[];
	assert.ok(refused.every(({ outcome }) => outcome === "invalid"));
	const fields = refused.map(({ faults }) => faults.map(({ field }) => field).join());
	assert.deepEqual(fields, ["categoryId", "key,categoryId", "", "key", "status"]);
	const { body } = await service.send({ path: `/v1/pets/${ids[7]}` });
	assert.equal(body, `{"id":${ids[7]},"name":"animal 7","categoryId":1}`);
});

test("a row sent again is there with any key; a changed or removed one is reported", async (context) => {
	const service = await testService(context);
	service.clock.nowMs = Date.now();
	const atMs = service.clock.nowMs;
	const { key } = await createKey(service.issuer, { name: "writer", scopes: ["pets:write"] });
	const other = { Authorization: `Bearer ${key}` };
	await resultsOf(service, [row(1), row(2), row(3), row(1)]);
	await service.store.edits.apply({ petId: 2n, editor: "me", action: "remove" });
	service.clock.nowMs += 1000;
	const again = [row(1), row(2), row(3, { status: "sold" }), row(4), row(4), row(4, { categoryId: 2 })];
	assert.deepEqual(await resultsOf(service, again, other), [
		{ outcome: "present", id: 1, atMs, by: "test" },
		{ outcome: "removed", id: 2, atMs },
		{ outcome: "different", id: 3, atMs, by: "test" },
		{ outcome: "added", id: 4 },
		{ outcome: "present", id: 4, atMs: atMs + 1000, by: "writer" },
		{ outcome: "different", id: 4, atMs: atMs + 1000, by: "writer" },
	]);
	const keyed = create({ name: "animal 1", categoryId: 1 }, { "Idempotency-Key": "k-1" });
	assert.equal((await service.send(keyed)).body, '{"id":5,"name":"animal 1","categoryId":1}', "callers' keys differ");
	service.clock.nowMs += 24 * 3_600_000;
	assert.deepEqual(await resultsOf(service, [row(1)]), [{ outcome: "added", id: 6 }], "a key expires after 24 h");
});

test("the rows of a day's imports are listed with their file and API key, newest first, by pages", async (context) => {
	const service = await testService(context);
	service.clock.nowMs = Date.now();
	const atMs = service.clock.nowMs;
	const list = async (query = "") =>
		JSON.parse(await consoleReply(service, { path: `/console/imports/rows${query}` })) as ImportedRows;
	assert.deepEqual(await list(), { rows: [], imports: [] });
	const keyed = (number: number) => row(number, { key: `0a1b-${number}`, content: `c${number}` });
	const rows = [keyed(1), { ...keyed(2), key: "0a1b-2-2", listId: "1d" }, row(3), keyed(4)];
	await consoleReply(service, post({ rows, file: "list.csv" }));
	await service.send(create({ name: "other", categoryId: 1 }, { "Idempotency-Key": "0a1b-9" }));
	await service.store.edits.apply({ petId: 4n, editor: "me", action: "remove" });
	assert.deepEqual(await list(), {
		rows: [
			{ import: 0, content: "c2", listId: "1d", id: 2, number: "2-2" },
			{ import: 0, content: "c1", id: 1, number: "1" },
		],
		imports: [{ file: "list.csv", digest: "0a1b", by: "test", atMs }],
	});
	const many = Array.from({ length: 1000 }, (_, number) => row(number, { key: `0c-${number}`, content: `${number}` }));
	for (const part of [many.slice(0, 500), many.slice(500)]) await consoleReply(service, post({ rows: part }));
	const first = await list();
	assert.deepEqual([first.rows.length, first.rows[0]?.content, first.imports.length], [1000, "999", 1]);
	const second = await list(`?before=${first.next}`);
	assert.deepEqual([second.rows.map(({ id }) => id), second.next], [[2, 1], undefined]);
	assert.deepEqual((await list("?without=0c")).rows.length, 2);
	await service.store.edits.apply({ petId: first.rows[0]?.id as never, editor: "me", action: "remove" });
	const { rows: left, next } = await list();
	assert.deepEqual([left.length, next], [999, first.next], "a page with a removed animal is not the last one");
	const { rows: own } = await list("?of=0a1b&before=2");
	assert.deepEqual(own, [{ import: 0, content: "c1", id: 1, number: "1" }]);
	const { listKeys } = service.store;
	const byOlder: typeof listKeys = async (...given) =>
		(await listKeys(...given)).map((one) => ({ ...one, isRemoved: one.id === 2n }));
	const { mock } = context.mock.method(service.store, "listKeys", byOlder);
	assert.deepEqual((await list("?without=0c")).rows.length, 1, "a node of an older version removed the animal");
	mock.restore();
	const longest = row(9, { key: "k".repeat(255), content: "f".repeat(64), listId: "f".repeat(64) });
	assert.match(await consoleReply(service, post({ rows: [longest], file: "x".repeat(255) })), /"outcome":"added"/);
	await consoleReply(service, post({ rows: [keyed(8)], file: "copy.csv" }));
	const ben = await createKey(service.issuer, { name: "Ben", scopes: ["pets:write"] });
	await consoleReply(service, post({ rows: [keyed(7)], file: "list.csv" }, { Authorization: `Bearer ${ben.key}` }));
	const {
		imports,
		rows: [newest],
	} = await list("?of=0a1b");
	assert.equal(`${imports.map(({ by }) => by)}`, "Ben,test,test");
	assert.deepEqual([newest?.import, newest?.content], [0, "c7"]);
	service.clock.nowMs += 24 * 3_600_000;
	assert.deepEqual(await list(), { rows: [], imports: [] }, "after a day");
});

test("the reply to an import of 1,000 rows explains 100 invalid ones; its body has a limit", async (context) => {
	const service = await testService(context);
	assertFailure(await service.send(importOf(`{"rows":[${"0,".repeat(40_000)}0]}`)), "body_too_large");
	const reply = await consoleReply(service, importOf(Array(1000).fill({})));
	assert.ok(reply.length < 200_000, `${reply.length} bytes`);
	const { results } = JSON.parse(reply);
	const fields = [99, 100, 999].map((at) => results[at].faults.map(({ field }: { field?: string }) => field));
	assert.deepEqual(fields, [["key", "name", "categoryId"], [undefined], [undefined]]);
});

test("each row, edit and change of a category counts for the rate of the key", async (context) => {
	const service = await testService(context, { mixes: false });
	const { key } = await createKey(service.issuer, { name: "slow", scopes: ["pets:write"], rate: "10/1h" });
	const headers = { Authorization: `Bearer ${key}` };
	const invalid = await service.send(importOf([row(100), {}, row(101, { name: "" }), 7], headers));
	assert.match(invalid.headers["ratelimit"] ?? "", /^"key";r=6;t=3[56]\d\d$/, "invalid rows count, too");
	const rows = Array.from({ length: 25 }, (_, n) => row(n));
	const first = await service.send(importOf(rows, headers));
	assert.match(first.headers["ratelimit"] ?? "", /^"key";r=0;t=3[56]\d\d$/);
	const refused = await service.send(importOf(rows, headers));
	assertFailure(refused, "rate_limited");
	assert.match(refused.headers["retry-after"] ?? "", /^3[56]\d\d$/);
	const editor = await createKey(service.issuer, { name: "editor", scopes: ["pets:edit"], rate: "1000/1h" });
	const asEditor = { Authorization: `Bearer ${editor.key}` };
	const wrong = { edits: Array(50).fill(0), categories: Array(100).fill(0) };
	for (const [name, list] of Object.entries(wrong))
		assertFailure(await service.send(posting(`/console/${name}`)({ [name]: list }, asEditor)), "invalid_body");
	const edits = Array(50).fill({ id: 9, action: "remove", seen: { name: "a" } });
	const edited = await service.send(posting("/console/edits")({ edits }, asEditor));
	assert.match(edited.headers["ratelimit"] ?? "", /^"key";r=800;t=3[56]\d\d$/);
	const categories = Array(100).fill({ id: 1 });
	const changed = await service.send(posting("/console/categories")({ categories }, asEditor));
	assert.match(changed.headers["ratelimit"] ?? "", /^"key";r=700;t=3[56]\d\d$/);
});

test("a key's imports are stored one at a time, others do not wait, and the eleventh is refused", async (context) => {
	const service = await testService(context, { mixes: false });
	const begun: (() => void)[] = [];
	const { store } = service;
	const createPets = store.createPets.bind(store);
	context.mock.method(store, "createPets", async (rows: Parameters<typeof createPets>[0]) => {
		await new Promise<void>((resolve) => begun.push(resolve));
		return createPets(rows);
	});
	const { key } = await createKey(service.issuer, { name: "other", scopes: ["pets:write"] });
	const add = (number: number, headers = {}) => service.send(importOf([row(number)], headers));
	const all = Array.from({ length: 11 }, (_, number) => add(number));
	assertFailure(await Promise.race(all), "overloaded");
	assert.equal(begun.length, 1);
	const other = add(11, { Authorization: `Bearer ${key}` });
	await until("the import of the other key", () => begun.length === 2);
	for (let at = 0; at < 11; at++) (await until("an import", () => begun[at]))();
	const statuses = (await Promise.all([...all, other])).map(({ status }) => status);
	assert.deepEqual(statuses.sort(), [...Array(11).fill(200), 503]);
});

test("an import whose key expires, or whose client leaves, while it waits is not stored", async (context) => {
	const service = await testService(context, { mixes: false });
	const held = Promise.withResolvers<void>();
	const createPets = service.store.createPets.bind(service.store);
	const stored = context.mock.method(service.store, "createPets", async (rows: Parameters<typeof createPets>[0]) => {
		await held.promise;
		return createPets(rows);
	});
	const { key } = await createKey(service.issuer, { name: "a", scopes: ["pets:write"], expiresInMs: 3_600_000 });
	const headers = { Authorization: `Bearer ${key}` };
	const add = (number: number, of = {}) => service.send(importOf([row(number)], of));
	const first = [add(1), add(2, headers)];
	await until("both imports", () => stored.mock.callCount() === 2);
	const late = add(3, headers);
	const leaving = new Connection(service.port);
	const body = JSON.stringify({ rows: [row(4)] });
	const head = createHead(service.key, `Content-Length: ${body.length}`).replace("/v1/pets", "/console/imports");
	leaving.socket.write(`${head}\r\n\r\n${body}`);
	await until("all imports", () => service.traffic().requestsInFlight === 4);
	leaving.socket.resetAndDestroy();
	await until("the client to be gone", () => service.traffic().requestsInFlight === 3);
	service.clock.nowMs = Date.now() + 3_600_000;
	held.resolve();
	assert.deepEqual(await Promise.all(first.map(async (reply) => (await reply).status)), [200, 200]);
	assertFailure(await late, "invalid_credential");
	assert.equal(stored.mock.callCount(), 2);
});

test("edits, lists and categories take turns by key: of eleven, one runs and one is refused", async (context) => {
	const service = await testService(context, { mixes: false });
	const { edits, categories } = service.store;
	const edit = { id: 1, action: "remove", seen: { name: "a" } };
	const rows: [TestRequest, of: object, method: string][] = [
		[posting("/console/edits")({ edits: [edit] }), edits, "apply"],
		[posting("/console/categories")({ categories: [{ name: "Dog" }] }), categories, "apply"],
		[{ path: "/console/categories" }, categories, "list"],
		[{ path: "/console/changes" }, edits, "latest"],
		[{ path: "/console/imports/rows" }, service.store, "listKeys"],
	];
	for (const [request, of, method] of rows) {
		const held = Promise.withResolvers<never>();
		const { mock } = context.mock.method(of, method as never, () => held.promise);
		const all = Array.from({ length: 11 }, () => service.send(request));
		assertFailure(await Promise.race(all), "overloaded");
		assert.ok(mock.callCount() <= 1, method);
		held.reject(new StorageUnavailable("the end of the test"));
		await Promise.all(all);
	}
});
