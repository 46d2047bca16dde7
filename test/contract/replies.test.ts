// Cached replies: each equals a new reply, and is sent again only while the store's content is unchanged.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../../src/keys/issue.ts";
import { openStore } from "../../src/store/open.ts";
import { type TestService, testService } from "../support/service.ts";
import { runSql } from "../support/sql.ts";
import { within } from "../support/until.ts";
import { Connection } from "../support/wire.ts";

/** Targets of requests. The service caches the reply at the second request for the same target. */
const targets = { full: "/v1/pets?limit=2", last: "/v1/pets?limit=9", pet: "/v1/pets/2" };

async function add({ store }: TestService, names: string[]): Promise<void> {
	for (const name of names) await store.createPet({ name, categoryId: 1n });
}

/** Changes the names without an edit, so that cached replies still have the old names. */
const renameAll = ({ databaseUrl }: TestService, name: string) =>
	runSql(databaseUrl, `UPDATE pets SET name = '${name}'`);

test("a reply is cached until any process edits, and the last page only until a create", async (context) => {
	const service = await testService(context);
	const other = await openStore(service.databaseUrl, Date.now);
	context.after(() => other.close());
	await add(service, ["Rex", "Rex", "Rex"]);
	const see = async (path: string) => [...new Set((await service.send({ path })).body.match(/\w+(?=","cat)/g))].join();
	const seeAll = () => Promise.all(Object.values(targets).map(see));
	await renameAll(service, "Mia");
	assert.deepEqual(await seeAll(), ["Mia", "Mia", "Mia"]);
	await renameAll(service, "Bo");
	assert.deepEqual(await seeAll(), ["Mia", "Mia", "Mia"], "cached");
	await other.createPet({ name: "Zoe", categoryId: 1n });
	assert.deepEqual(await seeAll(), ["Mia", "Bo,Zoe", "Mia"], "after a create");
	await other.edits.apply({ petId: 3n, editor: "me", action: "rename", name: "Max" });
	assert.deepEqual(await seeAll(), ["Bo", "Bo,Max,Zoe", "Bo"], "after an edit");
	await renameAll(service, "Rex");
	assert.deepEqual(await seeAll(), ["Bo", "Bo,Max,Zoe", "Bo"], "cached again");
	await service.store.edits.apply({ petId: 2n, editor: "me", action: "remove" });
	const { status } = await service.send({ path: targets.pet });
	assert.deepEqual([status, await see(targets.full), await see(targets.last)], [404, "Rex", "Rex"]);
	await service.send({ path: targets.pet });
	await runSql(service.databaseUrl, "INSERT INTO pets (id, name, category_id) VALUES (2, 'Leo', 1)");
	assert.equal(await see(targets.pet), "Leo", "a 404 is never cached");
});

/** Fields that differ between any two replies. */
const uniqueFields = ["date", "ratelimit", "x-request-id"];

test("a cached reply equals a new one, for every caller, coding, origin and method", async (context) => {
	const environment = { CORS_ORIGINS: "https://a.test", RATE_LIMIT: "1000/1h", BASE_URL: "https://a.test/v1" };
	const service = await testService(context, { environment, mixes: false });
	const ask = async (path: string, { method = "GET", headers = {} }: (typeof requests)[number] = {}) => {
		const connection = new Connection(service.port);
		const fields = Object.entries({ Host: "a.test", Authorization: `Bearer ${service.key}`, ...headers });
		const head = [`${method} ${path} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)];
		connection.socket.write(`${head.join("\r\n")}\r\n\r\n`);
		const reply = await within("a reply", connection.next(method === "HEAD"));
		connection.end();
		assert.ok(reply, path);
		return reply;
	};
	const names = Array.from({ length: 30 }, (_, index) => `${"Rex".repeat(20)} ${index}`);
	await add(service, names);
	const { key } = await createKey(service.issuer, { name: "other", scopes: ["pets:read"], rate: "50/1m" });
	const { headers } = await ask("/v1/pets?limit=20");
	const requests: { method?: string; headers?: Record<string, string> }[] = [
		{},
		{ headers: { "Accept-Encoding": "gzip" } },
		{ headers: { Origin: "https://a.test" } },
		{ headers: { Origin: "https://b.test", "Accept-Encoding": "br, gzip" } },
		{ headers: { Authorization: `Bearer ${key}` } },
		{ headers: { "X-Request-Id": "mine", traceparent: `00-${"1".repeat(32)}-${"2".repeat(16)}-01` } },
		{ headers: { Connection: "close" } },
		{ headers: { "If-None-Match": headers["etag"] ?? "" } },
		{ headers: { "If-None-Match": "*", "Accept-Encoding": "gzip" } },
		{ method: "HEAD" },
		{ method: "HEAD", headers: { "Accept-Encoding": "gzip" } },
	];
	for (const path of ["/v1/pets?limit=20", "/v1/pets?limit=50", "/v1/pets/1?"]) {
		await ask(path);
		// Each `&` makes another target, for which the service makes a new, equal reply.
		let fresh = path;
		const compressed: unknown[] = [];
		for (const request of requests) {
			const again = await ask(path, request);
			fresh += "&";
			// The first reply to a target is not compressed, so the target is requested once before.
			if (request.headers?.["Accept-Encoding"]) await ask(fresh);
			const made = await ask(fresh, request);
			for (const name of uniqueFields) {
				assert.equal(again.headers[name] === undefined, made.headers[name] === undefined, name);
				delete again.headers[name];
				delete made.headers[name];
			}
			compressed.push(again.headers["content-encoding"]);
			assert.deepEqual([again.status, again.headers, again.body], [made.status, made.headers, made.body], path);
		}
		assert.equal(compressed.filter(Boolean).length, path.endsWith("20") ? 3 : 0, path);
	}
});
