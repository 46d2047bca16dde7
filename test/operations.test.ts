// The three operations of the interface document: every declared reply, its format and its headers.
// Queries, methods and paths that are refused: test/corpus/queries, methods and targets.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../src/keys/issue.ts";
import { assertFailure, create, testService } from "./service.ts";
import { exchange } from "./wire.ts";

test("createPet answers 201 with the animal, its id and its address", async (context) => {
	const { send, url } = await testService(context);
	const reply = await send(create({ name: "Rex", categoryId: 7, status: "pending" }));
	assert.equal(reply.status, 201);
	assert.equal(reply.headers["content-type"], "application/json");
	assert.equal(reply.headers["cache-control"], "no-store");
	assert.equal(reply.headers["location"], `${url}/v1/pets/1`);
	assert.equal(reply.headers["idempotency-replayed"], undefined);
	assert.deepEqual(JSON.parse(reply.body), { id: 1, name: "Rex", categoryId: 7, status: "pending" });
	assert.equal(JSON.parse((await send(create({ name: "Rex", categoryId: 7 }))).body).id, 2, "ids ascend from 1");
});

test("getPet answers 200 with the animal, and 404 if there is none", async (context) => {
	const { send } = await testService(context);
	const created = await send(create({ name: "Rex", categoryId: 7 }));
	const reply = await send({ path: "/v1/pets/1" });
	assert.equal(reply.status, 200);
	assert.equal(reply.headers["content-type"], "application/json");
	assert.equal(reply.body, created.body);
	assertFailure(await send({ path: "/v1/pets/2" }), "pet_not_found");
});

test("listPets answers 200 with an array of animals by ascending id", async (context) => {
	const { send } = await testService(context);
	assert.equal((await send({ path: "/v1/pets" })).body, "[]");
	const bodies: string[] = [];
	for (const name of ["a", "b", "c"]) bodies.push((await send(create({ name, categoryId: 1 }))).body);
	const reply = await send({ path: "/v1/pets" });
	assert.equal(reply.status, 200);
	assert.equal(reply.headers["content-type"], "application/json");
	assert.equal(reply.body, `[${bodies.join(",")}]`);
});

test("reads have an ETag and answer 304 while nothing changed", async (context) => {
	const { send } = await testService(context, { environment: { CORS_ORIGINS: "" } });
	for (const name of ["a", "b"]) await send(create({ name, categoryId: 1 }));
	for (const path of ["/v1/pets", "/v1/pets/1", "/v1/pets?limit=2"]) {
		const { headers } = await send({ path });
		const tag = headers["etag"] ?? "";
		assert.match(tag, /^"[\w+-]+"$/);
		assert.equal(headers["cache-control"], "private, no-cache");
		assert.equal(headers["vary"], path === "/v1/pets/1" ? "Authorization" : "Authorization, Accept-Encoding");
		for (const matching of [tag, `W/${tag}`, "*", `"other", ${tag}`]) {
			const reply = await send({ path, headers: { "If-None-Match": matching } });
			assert.deepEqual([reply.status, reply.body, reply.headers["etag"]], [304, "", tag], matching);
			assert.equal(reply.headers["link"], headers["link"]);
			assert.equal(reply.headers["cache-control"], "private, no-cache");
		}
		assert.equal((await send({ path, headers: { "If-None-Match": '"other"' } })).status, 200);
		assert.equal((await send({ method: "HEAD", path, headers: { "If-None-Match": tag } })).status, 304);
	}
});

test("a full page that is asked for again is compressed for clients that accept it, with a tag of its own", async (context) => {
	const { send, url, key } = await testService(context);
	for (let index = 0; index < 21; index++)
		await send(create({ name: `😀 animal ${index}`, categoryId: 1, status: "pending" }));
	const plain = await send({ path: "/v1/pets" });
	const ask = async (coding: string, headers: object = {}) => {
		const options = { headers: { ...headers, authorization: `Bearer ${key}`, "accept-encoding": coding } };
		const reply = await fetch(`${url}/v1/pets`, options);
		return { ...reply, status: reply.status, headers: reply.headers, body: await reply.text() };
	};
	const packed = await ask("br, gzip");
	assert.equal(packed.headers.get("content-encoding"), "gzip");
	assert.ok(Number(packed.headers.get("content-length")) < 0.4 * plain.body.length);
	assert.equal(packed.body, plain.body);
	assert.equal(packed.headers.get("link"), plain.headers["link"]);
	const tag = packed.headers.get("etag") ?? "";
	assert.notEqual(tag, plain.headers["etag"]);
	for (const known of [tag, plain.headers["etag"] ?? ""]) {
		const again = await ask("gzip", { "if-none-match": known });
		assert.deepEqual([again.status, again.headers.get("etag"), again.body], [304, known, ""]);
		assert.equal(again.headers.get("content-encoding"), null);
	}
	const other = await send({ path: "/v1/pets", headers: { Host: "other.example" } });
	assert.match(other.headers["link"] ?? "", /^<http:\/\/other\.example\/v1\/pets/, "each caller's own links");
	for (const coding of ["gzip;q=0", "identity", "br"])
		assert.equal((await ask(coding)).headers.get("content-encoding"), null, coding);
	await send(create({ name: "short", categoryId: 2, status: "sold" }));
	for (const query of ["?status=sold", "?status=sold", "?limit=1", "?limit=1"]) {
		const reply = await fetch(`${url}/v1/pets${query}`, { headers: { authorization: `Bearer ${key}` } });
		assert.equal(reply.headers.get("content-encoding"), null, "a short page, and a small one");
	}
});

test("no two replies of a service have the same request id, including refusals before the app", async (context) => {
	const { send, port } = await testService(context);
	const replies = [];
	for (let count = 0; count < 20; count++) {
		replies.push(await send({ path: "/v1/pets" }));
		replies.push(await send({ path: "*v1" }));
		replies.push(...(await exchange(port, "no HTTP\r\n\r\n")));
	}
	const ids = replies.map(({ headers }) => headers["x-request-id"]);
	assert.ok(!ids.includes(undefined));
	assert.equal(new Set(ids).size, 60);
});

test("every reply forbids content sniffing and framing", async (context) => {
	const { send } = await testService(context);
	for (const path of ["/v1/pets", "/v1/nothing", "/livez", "/openapi.json"]) {
		const { headers } = await send({ path });
		assert.equal(headers["x-content-type-options"], "nosniff");
		assert.match(headers["content-security-policy"] ?? "", /default-src 'none'/);
		assert.equal(headers["referrer-policy"], "no-referrer");
		assert.equal(headers["server"] ?? headers["x-powered-by"], undefined);
		assert.equal(headers["strict-transport-security"], undefined, "not over plain HTTP");
	}
	const { send: sendBehindTls } = await testService(context, { environment: { BASE_URL: "https://pets.example" } });
	assert.match((await sendBehindTls({ path: "/livez" })).headers["strict-transport-security"] ?? "", /max-age=/);
});

test("every reply has the rate limit headers, and a refusal has a consistent Retry-After", async (context) => {
	const { send, port } = await testService(context, { environment: { RATE_LIMIT: "3/1m" } });
	assert.ok(port);
	for (const left of [2, 1, 0]) {
		const { status, headers } = await send({ path: "/v1/pets" });
		assert.equal(status, 200);
		assert.equal(headers["ratelimit-policy"], '"key";q=3;w=60');
		assert.match(headers["ratelimit"] ?? "", new RegExp(`^"key";r=${left};t=\\d+$`));
	}
	const refused = await send({ path: "/v1/pets" });
	assertFailure(refused, "rate_limited");
	assert.equal(refused.headers["ratelimit"], `"key";r=0;t=${refused.headers["retry-after"]}`);
	const service = await testService(context, { environment: { RATE_LIMIT: "1000/1s" } });
	const { key: slow } = await createKey(service.issuer, { name: "slow", scopes: ["pets:read"], rate: "2/1h" });
	const asSlow = () => service.send({ path: "/v1/pets", headers: { Authorization: `Bearer ${slow}` } });
	assert.equal((await asSlow()).headers["ratelimit-policy"], '"key";q=2;w=3600', "a key's own rate goes first");
	await asSlow();
	assertFailure(await asSlow(), "rate_limited");
	const { key: other } = await createKey(service.issuer, { name: "other", scopes: ["pets:read"], rate: "2/1h" });
	const asOther = await service.send({ path: "/v1/pets", headers: { Authorization: `Bearer ${other}` } });
	assert.match(asOther.headers["ratelimit"] ?? "", /^"key";r=1;/, "a key with the same rate has its own count");
	assert.equal(
		(await service.send({ path: "/v1/pets" })).headers["ratelimit-policy"],
		'"key";q=1000;w=1',
		"others go on",
	);
	const { send: sendFreely } = await testService(context);
	assert.equal((await sendFreely({ path: "/v1/pets" })).headers["ratelimit-policy"], undefined, "off unless set");
});

test("a jump of the wall clock by an hour neither extends nor refills a rate limit window", async (context) => {
	const startMs = Date.now();
	context.mock.timers.enable({ apis: ["Date"], now: startMs });
	const { send } = await testService(context, { environment: { RATE_LIMIT: "1/1m" } });
	assert.equal((await send({ path: "/v1/pets" })).status, 200);
	for (const jumpMs of [-3_600_000, 3_600_000]) {
		context.mock.timers.setTime(startMs + jumpMs);
		const reply = await send({ path: "/v1/pets" });
		assertFailure(reply, "rate_limited");
		assert.ok(Number(reply.headers["retry-after"]) <= 60, `Retry-After: ${reply.headers["retry-after"]}`);
		assert.equal(reply.headers["ratelimit"], `"key";r=0;t=${reply.headers["retry-after"]}`);
	}
});

test("HEAD answers like GET, without the body", async (context) => {
	const { send } = await testService(context);
	await send(create({ name: "Rex", categoryId: 1 }));
	for (const path of ["/v1/pets", "/v1/pets/1", "/v1/pets/2", "/v1/pets?limit=0", "/livez", "/openapi.json"]) {
		const get = await send({ path });
		const head = await send({ method: "HEAD", path });
		for (const reply of [get, head]) {
			delete reply.headers["date"];
			delete reply.headers["x-request-id"];
		}
		assert.deepEqual({ ...head, body: get.body }, get, path);
		assert.equal(head.body, "");
	}
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

test("what the interface document does not allow gets the Error object with its code, and stores nothing", async (context) => {
	const { send, key } = await testService(context);
	const pet = { name: "Rex", categoryId: 1 };
	for (const body of [
		...["null", "[]", "{}", { categoryId: 1 }, { ...pet, name: 5 }, { ...pet, name: "" }, { name: "Rex" }],
		...[{ ...pet, categoryId: "1" }, { ...pet, categoryId: 1.5 }, '{"name":"Rex","categoryId":9223372036854775808}'],
		...[
			{ ...pet, status: "Sold" },
			{ ...pet, status: null },
		],
	])
		assertFailure(await send(create(body)), "invalid_body");
	assertFailure(await send(create("{")), "invalid_json");
	assertFailure(await send(create(pet, { "Content-Type": "text/plain" })), "unsupported_media_type");
	for (const query of ["limit=0", "limit=101", "limit=1.5", "limit=", "limit=5&limit=5", "status=Sold", "cursor="])
		assertFailure(await send({ path: `/v1/pets?${query}` }), "invalid_parameter");
	assertFailure(await send({ path: "/v1/pets?page=2" }), "unknown_parameter");
	for (const id of ["abc", "01", "1.0", "9223372036854775808"])
		assertFailure(await send({ path: `/v1/pets/${id}` }), "pet_not_found");
	for (const path of ["/v1", "/v1/Pets", "/v1/orders"]) {
		assertFailure(await send({ path }), "route_not_found");
		assertFailure(await send({ path, headers: { Authorization: undefined } }), "missing_credential");
	}
	for (const path of ["/pets", "/v2/pets"]) assertFailure(await send({ path }), "route_not_found");
	for (const method of ["PUT", "PATCH", "DELETE"]) {
		const reply = await send({ method, path: "/v1/pets/1" });
		assertFailure(reply, "method_not_allowed");
		assert.equal(reply.headers["allow"], "GET, HEAD, OPTIONS");
	}
	const bearer = { Authorization: `bearer  ${key}` };
	assert.equal((await send({ path: "/v1/pets", headers: bearer })).body, "[]", "the scheme has any case");
});
