// `/console/find`: its replies, how a search continues, and one that nobody waits for. What a search
// finds is tested in test/store/find.test.ts.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { FindReply } from "../../src/contract/console.ts";
import { createKey } from "../../src/keys/issue.ts";
import type { FindQuery, FoundPets } from "../../src/store/store.ts";
import { posting } from "../support/pool.ts";
import { assertFailure, assertNoErrors, consoleReply, type TestService, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { Connection } from "../support/wire.ts";

async function find(service: TestService, query: Record<string, string>): Promise<FindReply> {
	const path = `/console/find?${new URLSearchParams(query)}`;
	return JSON.parse(await consoleReply(service, { path }));
}

const base64 = (text: string) => Buffer.from(text).toString("base64url");

test("a search has its filters, goes on in any order, and only its first reply has the total", async (context) => {
	const service = await testService(context);
	const names = Array.from({ length: 120 }, (_, index) => `${"äöü"[index % 3]} ${index % 7}`);
	for (const name of names) await service.store.createPet({ name, categoryId: 1n });
	const rex = '{"id":121,"name":"Rex","categoryId":9007199254740993,"status":"sold"}';
	await service.store.createPet({ name: "Rex", categoryId: 9007199254740993n, status: "sold" });
	const none = '{"available":0,"pending":0,"sold":0,"none":0}';
	const totals = {
		"name=REX": "",
		"name=121": "",
		"status=sold": "",
		"category=9007199254740993": none.replace('d":0,"n', 'd":1,"n'),
	};
	for (const [query, of] of Object.entries(totals)) {
		const { body } = await service.send({ path: `/console/find?${query}` });
		assert.equal(body, `{"pets":[${rex}]${of && `,"totals":${of}`},"total":1}`);
	}
	const unset: FindReply = await find(service, { without: "status" });
	assert.deepEqual([unset.pets.length, unset.total, unset.totals], [50, 120, undefined]);
	for (const [after, count] of Object.entries({ 50: 50, 100: 20 })) {
		const page: FindReply = await find(service, { category: "1", after: base64(after) });
		assert.deepEqual([page.pets.length, page.total, page.totals?.none], [count, 120, 120], "each page of a category");
	}
	const both = await find(service, { without: "status", status: "sold", category: "1" });
	assert.deepEqual(both, { pets: [], total: 0, totals: JSON.parse(none.replace('"none":0', '"none":120')) });
	await service.store.categories.apply([{ id: 9007199254740993n, name: "Łoś" }]);
	const { pets: ofCategory } = await find(service, { name: "los" });
	assert.equal(ofCategory.map(({ name }) => name).join(), "Rex");
	for (const sort of ["id", "-id", "name", "-name"]) {
		const found: FindReply["pets"] = [];
		const replies: FindReply[] = [];
		for (let after: string | undefined = ""; after !== undefined; after = replies.at(-1)?.next) {
			const reply: FindReply = await find(service, { sort, ...(after && { after }) });
			replies.push(reply);
			found.push(...reply.pets);
		}
		const counts = replies.map(({ pets, total }) => `${pets.length} of ${total}`);
		assert.deepEqual(counts, ["50 of 121", "50 of undefined", "21 of undefined"]);
		assert.equal(new Set(found.map(({ id }) => id)).size, 121);
	}
	const few: FindReply = await find(service, { sort: "-id", limit: "2" });
	assert.equal(few.pets.map(({ id }) => id).join(), "121,120");
});

/** Searches end only when the test ends them. @returns the searches that have begun */
function holdSearches(context: TestContext, { store }: TestService) {
	const begun: { signal: AbortSignal | undefined; end: () => void }[] = [];
	context.mock.method(store, "findPets", (_: FindQuery, signal?: AbortSignal) => {
		if (signal?.aborted) return Promise.reject(signal.reason);
		return new Promise<FoundPets>((resolve) => begun.push({ signal, end: () => resolve({ pets: [] }) }));
	});
	return begun;
}

test("a search that nobody waits for any more is dropped, without an error", async (context) => {
	const service = await testService(context, { mixes: false });
	const begun = holdSearches(context, service);
	const text = `GET /console/find?name=a HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
	const clients = [1, 2, 3].map(() => new Connection(service.port));
	const [running, half, reset] = clients.map(({ socket }) => socket);
	assert.ok(running && half && reset);
	running.write(text);
	await until("the first search", () => begun.length === 1);
	half.write(text);
	reset.write(text);
	await until("all searches", () => service.traffic().requestsInFlight === 3);
	half.end();
	reset.resetAndDestroy();
	const lines = () => service.log.filter((line) => line["http.route"] === "/console/find");
	await until("two log lines", () => lines().length === 2);
	assert.equal(begun[0]?.signal?.aborted, false);
	const other = await createKey(service.issuer, { name: "other", scopes: ["pets:read"] });
	const { keys } = service.store;
	const findByHash = keys.findByHash.bind(keys);
	const slowly: typeof findByHash = async (hash) => sleep(50).then(() => findByHash(hash));
	const { mock } = context.mock.method(keys, "findByHash", slowly);
	// The end of the connection is there before the key has been read.
	new Connection(service.port).socket.end(text.replace(service.key, other.key));
	await until("three log lines", () => lines().length === 3);
	const [dropped, ...others] = begun.splice(1);
	assert.deepEqual([dropped?.signal?.aborted, others], [true, []]);
	mock.restore();
	running.end();
	await until("four log lines", () => lines().length === 4);
	for (const line of lines())
		assert.deepEqual([line["http.response.status_code"], line["error.type"]], [499, "client_abort"]);
	assert.deepEqual([begun.length, begun[0]?.signal?.aborted], [1, true]);
	begun[0]?.end();
	const last = find(service, { name: "a" });
	(await until("another search, because no turn is left taken", () => begun[1])).end();
	assert.deepEqual(await last, { pets: [] });
	assertNoErrors(service);
});

test("a key's searches run one at a time and delay no other key; the eleventh is refused", async (context) => {
	const service = await testService(context, { mixes: false });
	const begun = holdSearches(context, service);
	const { key } = await createKey(service.issuer, { name: "other", scopes: ["pets:read"] });
	const search = (given = service.key) =>
		service.send({ path: "/console/find?name=a", headers: { Authorization: `Bearer ${given}` } });
	const all = Array.from({ length: 11 }, () => search());
	const refused = await Promise.race(all);
	assertFailure(refused, "overloaded");
	assert.match(JSON.parse(refused.body).message, /^10 searches of this API key are under way: wait/);
	assert.equal(begun.length, 1);
	const exported = service.send(posting("/console/exports")({ format: "csv", name: "a" }));
	(await until("the search of an export, which has a turn of its own", () => begun[1])).end();
	assert.equal((await exported).status, 200);
	begun.splice(1, 1);
	const other = search(key);
	await until("the search of the other key", () => begun.length === 2);
	const listed = find(service, { sort: "-id" });
	(await until("a page of the list, which waits for no turn", () => begun[2])).end();
	assert.deepEqual(await listed, { pets: [] });
	begun.splice(2, 1);
	for (let at = 0; at < 11; at++) (await until("a search", () => begun[at])).end();
	const found = (await Promise.all([...all, other])).filter(({ body }) => body === '{"pets":[]}');
	assert.equal(found.length, 11);
});

test("a search whose key expires while it waits for its turn is not made", async (context) => {
	const service = await testService(context, { mixes: false });
	const begun = holdSearches(context, service);
	const { key } = await createKey(service.issuer, { name: "a", scopes: ["pets:read"], expiresInMs: 3_600_000 });
	const search = () => service.send({ path: "/console/find?name=a", headers: { Authorization: `Bearer ${key}` } });
	const first = search();
	await until("the first search", () => begun.length === 1);
	const late = search();
	await until("both searches", () => service.traffic().requestsInFlight === 2);
	service.clock.nowMs = Date.now() + 3_600_000;
	begun[0]?.end();
	assert.equal((await first).status, 200);
	assertFailure(await late, "invalid_credential");
	assert.equal(begun.length, 1);
});
