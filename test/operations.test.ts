// The three operations as the interface document describes them: every declared answer, its shape and its headers.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey } from "../src/keys/issue.ts";
import { assertFailure, create, testService } from "./service.ts";

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

test("getPet answers 200 with the animal, and 404 where there is none", async (context) => {
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

test("reads carry an ETag and answer 304 while nothing changed", async (context) => {
	const { send } = await testService(context);
	for (const name of ["a", "b"]) await send(create({ name, categoryId: 1 }));
	for (const path of ["/v1/pets", "/v1/pets/1", "/v1/pets?limit=2"]) {
		const { headers } = await send({ path });
		const tag = headers["etag"] ?? "";
		assert.match(tag, /^"[\w+-]+"$/);
		assert.equal(headers["cache-control"], "private, no-cache");
		assert.equal(headers["vary"], "Authorization");
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

test("a full page that was the last one is no 304 once more animals follow", async (context) => {
	const { send } = await testService(context);
	for (const name of ["a", "b"]) await send(create({ name, categoryId: 1 }));
	const before = await send({ path: "/v1/pets?limit=2" });
	await send(create({ name: "c", categoryId: 1 }));
	const after = await send({ path: "/v1/pets?limit=2", headers: { "If-None-Match": before.headers["etag"] } });
	assert.equal(after.status, 200);
	assert.match(after.headers["link"] ?? "", /rel="next"/);
});

test("every reply has a request id: the caller's when it is usable", async (context) => {
	const { send } = await testService(context);
	for (const path of ["/v1/pets", "/v1/pets/9", "/nothing", "/livez"]) {
		assert.equal((await send({ path, headers: { "X-Request-Id": "my-id.1" } })).headers["x-request-id"], "my-id.1");
		for (const bad of ["a b", "x".repeat(129), '"', "<a>", ""]) {
			const made = (await send({ path, headers: { "X-Request-Id": bad } })).headers["x-request-id"] ?? "";
			assert.match(made, /^[\w-]{8,}-[0-9a-z]+$/);
		}
	}
});

test("every reply keeps browsers from guessing and framing", async (context) => {
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

test("pages of the origins in CORS_ORIGINS may call, and no others", async (context) => {
	const { send } = await testService(context, { environment: { CORS_ORIGINS: "https://a.example,https://b.example" } });
	const asked = { "Access-Control-Request-Method": "POST", Authorization: undefined };
	const preflight = await send({
		method: "OPTIONS",
		path: "/v1/pets",
		headers: { ...asked, Origin: "https://b.example" },
	});
	assert.equal(preflight.status, 204);
	assert.equal(preflight.headers["access-control-allow-origin"], "https://b.example");
	assert.match(preflight.headers["access-control-allow-headers"] ?? "", /Authorization.*Idempotency-Key/);
	const reply = await send({ path: "/v1/pets", headers: { Origin: "https://a.example" } });
	assert.equal(reply.headers["access-control-allow-origin"], "https://a.example");
	assert.match(reply.headers["access-control-expose-headers"] ?? "", /Link/);
	assert.match(reply.headers["vary"] ?? "", /Origin/);
	const foreign = await send({ path: "/v1/pets", headers: { Origin: "https://evil.example" } });
	assert.equal(foreign.headers["access-control-allow-origin"], undefined);
	assertFailure(
		await send({ method: "OPTIONS", path: "/v1/pets", headers: { ...asked, Origin: "https://evil.example" } }),
		"missing_credential",
	);
	const { send: sendPlain } = await testService(context);
	assertFailure(
		await sendPlain({ method: "OPTIONS", path: "/v1/pets", headers: { ...asked, Origin: "https://a.example" } }),
		"missing_credential",
	);
});

test("a rate limit is told on every reply, and refuses with a Retry-After that agrees", async (context) => {
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
	assert.equal(
		(await service.send({ path: "/v1/pets" })).headers["ratelimit-policy"],
		'"key";q=1000;w=1',
		"others go on",
	);
	const { send: sendFreely } = await testService(context);
	assert.equal((await sendFreely({ path: "/v1/pets" })).headers["ratelimit-policy"], undefined, "off unless set");
});
