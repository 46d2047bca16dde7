// The activity figures for the console: access, and correct counters.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Activity } from "../src/contract/activity.ts";
import { createKey } from "../src/keys/issue.ts";
import { create, testService } from "./service.ts";
import { until } from "./until.ts";

const path = "/console/activity";

test("activity needs a key with the scope metrics:read", async (context) => {
	const service = await testService(context);
	const codeFor = async (headers: Record<string, string | undefined>) => {
		const { status, body } = await service.send({ path, headers });
		return [status, JSON.parse(body).code];
	};
	assert.deepEqual(await codeFor({ Authorization: undefined }), [401, "missing_credential"]);
	assert.deepEqual(await codeFor({ Authorization: "Bearer wrong" }), [401, "invalid_credential"]);
	const { key } = await createKey(service.issuer, { name: "reader", scopes: ["pets:read", "pets:write"] });
	assert.deepEqual(await codeFor({ Authorization: `Bearer ${key}` }), [403, "insufficient_scope"]);
	const { key: watcher } = await createKey(service.issuer, { name: "watcher", scopes: ["metrics:read"] });
	const reply = await service.send({ path, headers: { Authorization: `Bearer ${watcher}` } });
	assert.equal(reply.status, 200);
	assert.equal(reply.headers["cache-control"], "no-store");
	assert.equal((await service.send({ path: "/v1/pets", headers: { Authorization: `Bearer ${watcher}` } })).status, 403);
});

test("activity counts every reply by its operation, its latency, every create and every animal once", async (context) => {
	const service = await testService(context, { mixes: false });
	const activity = async () => {
		const { status, body } = await service.send({ path });
		assert.equal(status, 200, body);
		return JSON.parse(body) as Activity;
	};
	const before = await activity();
	await Promise.all(
		Array.from({ length: 12_000 }, (_, index) =>
			service.store.createPet({ name: "a", categoryId: 1n, ...(index % 3 === 0 && { status: "sold" }) }),
		),
	);
	for (const body of ['{"name":"a","categoryId":1,"status":"available"}', "{"]) await service.send(create(body));
	const after = await until("every animal to be counted", async () => {
		const read = await activity();
		return read.animals.isComplete && read;
	});
	assert.deepEqual(after.animals, { available: 1, pending: 0, sold: 4000, none: 8000, isComplete: true });
	const [then, now] = [before.now, after.now];
	assert.equal(now.creates.animals - then.creates.animals, 12_001);
	const batches = now.creates.batches - then.creates.batches;
	assert.ok(batches >= 13 && batches < 1000, `${batches} batches`);
	const created = now.replies.createPet.requests;
	assert.deepEqual(created, { "2xx": 1, "3xx": 0, "4xx": 1, "5xx": 0 });
	assert.deepEqual(now.replies.listPets.requests, { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 });
	assert.ok(now.replies.none.requests["2xx"] - then.replies.none.requests["2xx"] >= 1);
	const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
	for (const { requests, latency } of Object.values(now.replies)) {
		assert.equal(latency.length, after.upToMs.length + 1);
		assert.equal(sum(latency), sum(Object.values(requests)));
		assert.ok(latency.every((count) => count >= 0));
	}
	assert.ok(now.uptimeMs > then.uptimeMs && after.node === before.node);
});

test("a caller that names this node gets its figures without the history", async (context) => {
	const service = await testService(context);
	const read = async (query: string) => JSON.parse((await service.send({ path: path + query })).body) as Activity;
	const { node, history } = await read("");
	assert.deepEqual(history, []);
	for (const query of [`?known=${node}`, `?known=other,${node}`]) assert.ok(!("history" in (await read(query))), query);
	for (const query of ["?known=", "?known=other", "?known=%"]) assert.ok("history" in (await read(query)), query);
});

test("every key may read its own name, scopes and expiry, and no other request gets them", async (context) => {
	const service = await testService(context);
	const expiresInMs = 86_400_000;
	const earliestMs = Date.now() + expiresInMs;
	const { key } = await createKey(service.issuer, { name: "writer", scopes: ["pets:write"], expiresInMs });
	const read = async (headers: Record<string, string | undefined>) => service.send({ path: "/console/key", headers });
	const reply = await read({ Authorization: `Bearer ${key}` });
	const { expiresAtMs, ...info } = JSON.parse(reply.body);
	assert.deepEqual(info, { name: "writer", scopes: ["pets:write"] });
	assert.ok(expiresAtMs >= earliestMs && expiresAtMs < earliestMs + 60_000);
	assert.equal(reply.headers["cache-control"], "no-store");
	assert.equal(reply.status, 200);
	assert.deepEqual(Object.keys(JSON.parse((await read({})).body)), ["name", "scopes"]);
	assert.equal((await read({ Authorization: undefined })).status, 401);
});
