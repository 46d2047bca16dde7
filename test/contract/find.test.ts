// `/console/find`: its parameters and replies, how a search continues, and one that nobody waits for. What a search
// finds is tested in test/store/find.test.ts.

import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import type { FindReply } from "../../src/contract/console.ts";
import type { FindQuery } from "../../src/store/store.ts";
import { assertFailure, assertNoErrors, consoleReply, type TestService, testService } from "../support/service.ts";
import { until } from "../support/until.ts";

async function find(service: TestService, query: Record<string, string>): Promise<FindReply> {
	const path = `/console/find?${new URLSearchParams(query)}`;
	return JSON.parse(await consoleReply(service, { path }));
}

test("a search that is not valid is refused", async (context) => {
	const service = await testService(context);
	const base64 = (text: string) => Buffer.from(text).toString("base64url");
	for (const query of [
		"name=",
		`name=${"a".repeat(256)}`,
		"name=a%00",
		"name=a&name=b",
		"name=a&status=gone",
		"category=x",
		"category=1&category=2",
		"sort=age",
		"after=",
		"after=x",
		`after=${base64("x")}`,
		`after=${base64("1 Rex")}`,
		`after=${base64("1")}=`,
		`sort=name&after=${base64("1")}`,
		`sort=name&after=${base64("1 Re\0x")}`,
		`sort=name&after=${base64("9223372036854775808 Rex")}`,
	]) {
		const reply = await service.send({ path: `/console/find?${query}` });
		assertFailure(reply, "invalid_parameter");
		assert.ok(JSON.parse(reply.body).message.startsWith(query.split("&").at(-1)?.split("=")[0] ?? ""), reply.body);
	}
	for (const query of [`after=${base64("9223372036854775807")}`, `sort=-name&after=${base64("5 \u{10ffff} Rex")}`])
		assert.equal((await service.send({ path: `/console/find?${query}` })).body, '{"pets":[]}');
	assertFailure(await service.send({ path: "/console/find?name=a&limit=5" }), "unknown_parameter");
});

test("a search has its filters, goes on in any order, and only its first reply has the total", async (context) => {
	const service = await testService(context);
	const names = Array.from({ length: 120 }, (_, index) => `${"äöü"[index % 3]} ${index % 7}`);
	for (const name of names) await service.store.createPet({ name, categoryId: 1n });
	const rex = '{"id":121,"name":"Rex","categoryId":9007199254740993,"status":"sold"}';
	await service.store.createPet({ name: "Rex", categoryId: 9007199254740993n, status: "sold" });
	for (const query of ["name=REX", "name=121", "status=sold", "category=9007199254740993"])
		assert.equal((await service.send({ path: `/console/find?${query}` })).body, `{"pets":[${rex}],"total":1}`);
	for (const sort of ["id", "-id", "name", "-name"]) {
		const found: FindReply["pets"] = [];
		const replies: FindReply[] = [];
		for (let after: string | undefined = ""; after !== undefined; after = replies.at(-1)?.next) {
			const reply: FindReply = await find(service, { sort, ...(after && { after }) });
			replies.push(reply);
			found.push(...reply.pets);
		}
		assert.deepEqual(
			replies.map(({ pets, total }) => [pets.length, total]),
			[
				[50, 121],
				[50, undefined],
				[21, undefined],
			],
		);
		assert.equal(new Set(found.map(({ id }) => id)).size, 121);
	}
});

test("a search that nobody waits for any more is dropped, without an error", async (context) => {
	// A client that closes its side may still read, so it counts as gone after the time for a stalled connection.
	const service = await testService(context, { mixes: false, timeouts: { stalledMs: 300 } });
	const { promise: begun, resolve: begin } = Promise.withResolvers<AbortSignal>();
	context.mock.method(service.store, "findPets", async (_: FindQuery, signal: AbortSignal) => {
		begin(signal);
		await until("the client to leave", () => signal.aborted);
		throw signal.reason;
	});
	const headers = { authorization: `Bearer ${service.key}` };
	const sent = request(`${service.url}/console/find?name=rex`, { headers, agent: false }).on("error", () => {});
	sent.end();
	await begun;
	sent.destroy();
	const line = await until("the log line", () => service.log.find((line) => line["http.route"] === "/console/find"));
	assert.deepEqual([line["http.response.status_code"], line["error.type"]], [499, "client_abort"]);
	await new Promise(setImmediate);
	assertNoErrors(service);
});
