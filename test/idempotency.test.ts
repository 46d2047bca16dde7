// Idempotency-Key: a repeated create creates one animal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createKey, rotateKey } from "../src/keys/issue.ts";
import { assertFailure, create, testService } from "./service.ts";
import { runSql } from "./sql.ts";
import type { Reply } from "./wire.ts";

const rex = { name: "Rex", categoryId: 1 };

test("a repeated create with the same Idempotency-Key and body gets the first reply and adds no animal", async (context) => {
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

test("the same Idempotency-Key with another body is 422 and stores nothing", async (context) => {
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

test("a repeated create gets the first reply, byte for byte, even if its animal was changed or removed by hand", async (context) => {
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

test("fifty concurrent creates with one Idempotency-Key create one animal, and all return it", async (context) => {
	const { send } = await testService(context);
	const replies = await Promise.all(Array.from({ length: 50 }, () => send(create(rex, { "Idempotency-Key": "once" }))));
	assert.deepEqual(
		[...new Set(replies.map(({ status, body }) => `${status} ${body}`))],
		['201 {"id":1,"name":"Rex","categoryId":1}'],
	);
	assert.equal(replies.filter(({ headers }) => headers["idempotency-replayed"] === undefined).length, 1);
	assert.equal(JSON.parse((await send({ path: "/v1/pets" })).body).length, 1);
});

test("Idempotency-Keys are scoped to the API key, also after its rotation", async (context) => {
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

test("an Idempotency-Key expires after 24 hours", async (context) => {
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

test("an Idempotency-Key that is not 1 to 255 visible ASCII characters is refused, and refused requests use no key", async (context) => {
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
