// Idempotency-Key: a create that is repeated makes one animal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey, rotateKey } from "../src/keys/issue.ts";
import { assertFailure, create, testService } from "./service.ts";
import { runSql } from "./sql.ts";
import type { Reply } from "./wire.ts";

const rex = { name: "Rex", categoryId: 1 };

test("the same key and body get the first reply again, and one animal", async (context) => {
	const { send } = await testService(context);
	const first = await send(create(rex, { "Idempotency-Key": "a-1" }));
	assert.equal(first.headers["idempotency-replayed"], undefined);
	const sameBody = '{ "categoryId": 1.0, "name": "Rex", "unknown": true }';
	for (const again of [create(rex, { "Idempotency-Key": '"a-1"' }), create(sameBody, { "Idempotency-Key": "a-1" })]) {
		const reply = await send(again);
		assert.deepEqual(
			[reply.status, reply.body, reply.headers["location"]],
			[201, first.body, first.headers["location"]],
		);
		assert.equal(reply.headers["idempotency-replayed"], "true");
	}
	assert.equal(JSON.parse((await send({ path: "/v1/pets" })).body).length, 1);
});

test("the same key with another body is 422 and stores nothing", async (context) => {
	const { send } = await testService(context);
	await send(create(rex, { "Idempotency-Key": "a" }));
	for (const other of [
		{ ...rex, name: "Max" },
		{ ...rex, categoryId: 2 },
		{ ...rex, status: "sold" },
	]) {
		assertFailure(await send(create(other, { "Idempotency-Key": "a" })), "idempotency_key_reused");
	}
	assert.equal(JSON.parse((await send({ path: "/v1/pets" })).body).length, 1);
});

test("a retry gets the first reply, byte for byte, also when its animal was changed or removed by hand", async (context) => {
	const { send, databaseUrl } = await testService(context);
	const sold = create({ ...rex, status: "sold" }, { "Idempotency-Key": "sold" });
	const requests = [create(rex, { "Idempotency-Key": "rex" }), sold];
	const first: Reply[] = [];
	for (const request of requests) first.push(await send(request));
	await runSql(databaseUrl, "UPDATE pets SET name = 'Max' WHERE id = 1");
	await runSql(databaseUrl, "DELETE FROM pets WHERE id = 2");
	for (const [place, request] of requests.entries()) {
		const { status, body, headers } = await send(request);
		assert.deepEqual([status, body, headers["idempotency-replayed"]], [201, first[place]?.body, "true"]);
		assert.equal(headers["location"], first[place]?.headers["location"]);
	}
});

test("fifty at once with one key make one animal, and all get it", async (context) => {
	const { send } = await testService(context);
	const replies = await Promise.all(Array.from({ length: 50 }, () => send(create(rex, { "Idempotency-Key": "once" }))));
	assert.deepEqual(
		[...new Set(replies.map(({ status, body }) => `${status} ${body}`))],
		['201 {"id":1,"name":"Rex","categoryId":1}'],
	);
	assert.equal(replies.filter(({ headers }) => headers["idempotency-replayed"] === undefined).length, 1);
	assert.equal(JSON.parse((await send({ path: "/v1/pets" })).body).length, 1);
});

test("the key belongs to its caller: to the same API key also when it is rotated, and to no other", async (context) => {
	const service = await testService(context);
	const { id, key } = await createKey(service.issuer, { name: "other", scopes: ["pets:write"] });
	const as = (text: string) => create(rex, { "Idempotency-Key": "a", Authorization: `Bearer ${text}` });
	const petId = async (text: string) => JSON.parse((await service.send(as(text))).body).id;
	assert.equal(await petId(service.key), 1);
	assert.equal(await petId(key), 2);
	const rotated = await rotateKey(service.issuer, id, 60_000);
	assert.equal(await petId(rotated), 2);
	assert.equal(await petId(key), 2, "the old text works on in its grace period");
});

test("after 24 hours the key is new again", async (context) => {
	const { send, clock } = await testService(context);
	const dayMs = 24 * 3_600_000;
	const startMs = Date.now();
	const petId = async () => JSON.parse((await send(create(rex, { "Idempotency-Key": "a" }))).body).id;
	clock.nowMs = startMs;
	assert.equal(await petId(), 1);
	clock.nowMs = startMs + dayMs - 1;
	assert.equal(await petId(), 1);
	clock.nowMs = startMs + dayMs;
	assert.equal(await petId(), 2);
	assert.equal(await petId(), 2);
});

test("a key that is not 1 to 255 visible ASCII characters is refused, and a refused request uses up no key", async (context) => {
	const { send } = await testService(context);
	for (const key of ["", '""', "a b", "\xe9", "x".repeat(256), `"${"x".repeat(256)}"`, "a\tb"]) {
		assertFailure(await send(create(rex, { "Idempotency-Key": key })), "invalid_parameter");
	}
	assertFailure(await send(create({ name: "" }, { "Idempotency-Key": "k" })), "invalid_body");
	for (const key of ["k", "x".repeat(255), "!~", '"', '"quoted"']) {
		const reply = await send(create(rex, { "Idempotency-Key": key }));
		assert.deepEqual([reply.status, reply.headers["idempotency-replayed"]], [201, undefined], key);
	}
});
