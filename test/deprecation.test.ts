// getPet announces its removal and is removed by the clock.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure, create, testService } from "./service.ts";

test("every getPet reply has Deprecation, Sunset and a link to its successor", async (context) => {
	const { send, url } = await testService(context);
	await send(create({ name: "Rex", categoryId: 1 }));
	for (const path of ["/v1/pets/1", "/v1/pets/2", "/v1/pets/x"]) {
		const { headers } = await send({ path });
		assert.equal(headers["deprecation"], "@1795132800");
		assert.equal(new Date(1795132800_000).toISOString(), "2026-11-20T00:00:00.000Z");
		assert.equal(headers["sunset"], "Thu, 05 Dec 2030 00:00:00 GMT");
		assert.equal(headers["link"], `<${url}/docs>; rel="deprecation", <${url}/v1/pets>; rel="successor-version"`);
	}
	assert.equal((await send({ path: "/v1/pets" })).headers["deprecation"], undefined);
	assert.match(
		await (await fetch(`${url}/docs`)).text(),
		/getPet<\/code> will be removed on 5 December 2030/,
		"what the link names",
	);
});

test("from 5 December 2030, getPet is 410, a 201 has no Location, and everything else still works", async (context) => {
	const { send, clock } = await testService(context);
	const sunsetMs = Date.parse("2030-12-05T00:00:00Z");
	clock.nowMs = sunsetMs - 1;
	const before = await send(create({ name: "Rex", categoryId: 1 }));
	assert.match(before.headers["location"] ?? "", /\/v1\/pets\/1$/);
	assert.equal((await send({ path: "/v1/pets/1" })).status, 200);
	for (const nowMs of [sunsetMs, Date.parse("2031-06-01T00:00:00Z")]) {
		clock.nowMs = nowMs;
		for (const path of ["/v1/pets/1", "/v1/pets/2", "/v1/pets/abc"]) {
			const reply = await send({ path });
			assertFailure(reply, "operation_removed");
			assert.match(reply.headers["link"] ?? "", /successor-version/);
		}
		assert.equal((await send({ path: "/v1/pets" })).status, 200);
		const { status, headers } = await send(create({ name: "Max", categoryId: 1 }));
		assert.deepEqual([status, headers["location"]], [201, undefined], "no URL that would be 410");
	}
});

test("operators see which keys still call getPet", async (context) => {
	const service = await testService(context, { mixes: false });
	await service.send({ path: "/v1/pets" });
	await service.send({ path: "/v1/pets/1" });
	await service.stop();
	const { openStore } = await import("../src/store/open.ts");
	const store = await openStore(service.databaseUrl, Date.now);
	const [row] = await store.keys.list();
	await store.close();
	assert.deepEqual(Object.keys(row?.usedAtMs ?? {}).sort(), ["getPet", "listPets"]);
	for (const usedAtMs of Object.values(row?.usedAtMs ?? {})) assert.ok(Math.abs(Date.now() - usedAtMs) < 60_000);
});
