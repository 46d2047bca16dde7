// Keys of a running service: revoked, rotated and used. The replies to every kind of credential are in
// test/contract/corpus/credentials and targets.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hashOfKey } from "../../src/keys/formats.ts";
import { createKey, rotateKey } from "../../src/keys/issue.ts";
import { openStore } from "../../src/store/open.ts";
import { testService } from "../support/service.ts";

test("a rotated key gets its full lifetime again; a key without expiry still has none", async (context) => {
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

test("operators see which keys still call getPet", async (context) => {
	const service = await testService(context, { mixes: false });
	await service.send({ path: "/v1/pets" });
	await service.send({ path: "/v1/pets/1" });
	await service.stop();
	const store = await openStore(service.databaseUrl, Date.now);
	const [row] = await store.keys.list();
	await store.close();
	assert.deepEqual(Object.keys(row?.usedAtMs ?? {}).sort(), ["getPet", "listPets"]);
	for (const usedAtMs of Object.values(row?.usedAtMs ?? {})) assert.ok(Math.abs(Date.now() - usedAtMs) < 60_000);
});
