// Request ids, Idempotency-Keys, and rate limits during clock jumps. test/contract/corpus has each reply with all its
// headers; its family `idempotency` also has bodies, refused keys and the 24 hours.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey, rotateKey } from "../../src/keys/issue.ts";
import { assertFailure, create, testService } from "../support/service.ts";
import { exchange } from "../support/wire.ts";

const rex = { name: "Rex", categoryId: 1 };

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

test("Idempotency-Keys are scoped to the API key, even after its rotation", async (context) => {
	const service = await testService(context);
	const { id, key } = await createKey(service.issuer, { name: "other", scopes: ["pets:write"] });
	const as = (text: string) => create(rex, { "Idempotency-Key": "a", Authorization: `Bearer ${text}` });
	const petId = async (text: string) => JSON.parse((await service.send(as(text))).body).id;
	assert.equal(await petId(service.key), 1);
	assert.equal(await petId(key), 2);
	const rotated = await rotateKey(service.issuer, id, 60_000);
	assert.equal(await petId(rotated), 2);
	assert.equal(await petId(key), 2, "the old secret works until the grace period ends");
});
