// Credentials: which requests are accepted, and the replies to all others. More rows: test/corpus/credentials and targets.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { hashOfKey, keyFromRandom } from "../src/keys/formats.ts";
import { createKey, revokeKey, rotateKey } from "../src/keys/issue.ts";
import { assertFailure, create, testService } from "./service.ts";
import { until } from "./until.ts";

test("without a valid key nothing is revealed: every invalid credential gets the same 401", async (context) => {
	const service = await testService(context);
	const { key, send } = service;
	const { key: expiring } = await createKey(service.issuer, { name: "expired", scopes: ["pets:read"], expiresInMs: 1 });
	const revoked = await createKey(service.issuer, { name: "revoked", scopes: ["pets:read"] });
	assert.match(revoked.id, /^key_[0-9A-Za-z]{11}$/);
	await revokeKey(service.issuer, revoked.id);
	const refused: Record<string, string> = {
		"Bearer alone": "Bearer",
		"the key without a scheme": key,
		"one character changed": `Bearer ${key.slice(0, -10)}${key.at(-10) === "a" ? "b" : "a"}${key.slice(-9)}`,
		"a well-formed key of somebody else": `Bearer ${keyFromRandom(Buffer.alloc(32, 7))}`,
		"an expired key": `Bearer ${expiring}`,
		"a revoked key": `Bearer ${revoked.key}`,
	};
	for (const path of ["/v1/pets", "/v1/pets/1", "/v1/nothing", "/v1"]) {
		for (const [name, authorization] of Object.entries(refused)) {
			const reply = await send({ path, headers: { Authorization: authorization } });
			assertFailure(reply, "invalid_credential");
			assert.equal(reply.headers["www-authenticate"], 'Bearer realm="animal-store", error="invalid_token"', name);
			assert.ok(!reply.body.includes(key.slice(5)), name);
		}
		for (const authorization of [undefined, "", "  "]) {
			const reply = await send({ path, headers: { Authorization: authorization } });
			assertFailure(reply, "missing_credential");
			assert.equal(reply.headers["www-authenticate"], 'Bearer realm="animal-store"');
		}
	}
	assertFailure(
		await send({ path: `/v1/pets?key=${key}&access_token=${key}`, headers: { Authorization: undefined } }),
		"missing_credential",
	);
	assertFailure(
		await send({ ...create({ name: "a", categoryId: 1 }), headers: { Authorization: undefined } }),
		"missing_credential",
	);
	assertFailure(await send({ path: "/v1/pets/%FF", headers: { Authorization: undefined } }), "missing_credential");
	assert.equal((await send({ path: "/v1/pets" })).body, "[]", "nothing was stored");
});

test("a huge body without a key is refused unread and the connection closed", async (context) => {
	const { port } = await testService(context);
	const bytes = await new Promise<{ sent: number; received: string }>((resolve) => {
		let received = "";
		let sent = 0;
		const chunk = Buffer.alloc(64 * 1024, 32);
		const socket = connect(port, "127.0.0.1", () => {
			socket.write(
				`POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n`,
			);
			const pump = () => {
				while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
				sent += chunk.length;
			};
			socket.on("drain", pump);
			pump();
		});
		socket.on("data", (data) => {
			received += data;
		});
		socket.on("error", () => {});
		socket.on("close", () => resolve({ sent, received }));
	});
	assert.match(bytes.received, /^HTTP\/1.1 401 .*"missing_credential"/s);
	assert.match(bytes.received, /^connection: close\r$/im);
	assert.ok(bytes.sent < 50_000_000, `${bytes.sent} bytes were taken`);
});

test("the reply to a key without the scope names the missing scope", async (context) => {
	const service = await testService(context);
	const { key: reader } = await createKey(service.issuer, { name: "reader", scopes: ["pets:read"] });
	const { key: writer } = await createKey(service.issuer, { name: "writer", scopes: ["pets:write"] });
	const as = (key: string) => ({ Authorization: `Bearer ${key}` });
	const refused = await service.send(create({ name: "a", categoryId: 1 }, as(reader)));
	assertFailure(refused, "insufficient_scope");
	assert.match(refused.body, /pets:write/);
	const challenge = (scope: string) => `Bearer realm="animal-store", error="insufficient_scope", scope="${scope}"`;
	assert.equal(refused.headers["www-authenticate"], challenge("pets:write"));
	const refusedList = await service.send({ path: "/v1/pets", headers: as(writer) });
	assertFailure(refusedList, "insufficient_scope");
	assert.equal(refusedList.headers["www-authenticate"], challenge("pets:read"));
	const refusedView = await service.send({ path: "/console/activity", headers: as(reader) });
	assertFailure(refusedView, "insufficient_scope");
	assert.equal(refusedView.headers["www-authenticate"], challenge("metrics:read"));
	assertFailure(await service.send({ path: "/v1/pets/1", headers: as(writer) }), "insufficient_scope");
	assertFailure(await service.send({ path: "/v1/nothing", headers: as(reader) }), "route_not_found");
	assert.equal((await service.send(create({ name: "a", categoryId: 1 }, as(writer)))).status, 201);
	assert.equal((await service.send({ path: "/v1/pets", headers: as(reader) })).status, 200);
});

test("a revoked key stops working within a second, also on open connections", async (context) => {
	const service = await testService(context);
	const { id, key } = await createKey(service.issuer, { name: "busy", scopes: ["pets:read"] });
	const ask = async () =>
		(await service.send({ path: "/v1/pets", headers: { Authorization: `Bearer ${key}` } })).status;
	assert.equal(await ask(), 200);
	await revokeKey(service.issuer, id);
	await until("a revoked key to stop working", async () => (await ask()) === 401, { withinMs: 1000, everyMs: 0 });
	assert.equal(await ask(), 401);
});

test("a rotated key gets its full lifetime again from the rotation; one without expiry stays without", async (context) => {
	const { issuer, clock } = await testService(context);
	const dayMs = 86_400_000;
	clock.nowMs = 1_900_000_000_000;
	const { id, key } = await createKey(issuer, { name: "90 days", scopes: ["pets:read"], expiresInMs: 90 * dayMs });
	const { id: eternal } = await createKey(issuer, { name: "eternal", scopes: ["pets:read"] });
	clock.nowMs += 30 * dayMs;
	const rotatedAtMs = clock.nowMs;
	const rotated = await issuer.rows.findByHash(hashOfKey(await rotateKey(issuer, id, dayMs)));
	assert.equal(rotated?.secret.expiresAtMs, rotatedAtMs + 90 * dayMs);
	assert.equal((await issuer.rows.findByHash(hashOfKey(key)))?.secret.expiresAtMs, rotatedAtMs + dayMs, "the old one");
	const unlimited = await issuer.rows.findByHash(hashOfKey(await rotateKey(issuer, eternal, dayMs)));
	assert.ok(unlimited && unlimited.secret.expiresAtMs === undefined);
});
