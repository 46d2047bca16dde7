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

test("activity counts every reply, latency, create and animal once", async (context) => {
	const service = await testService(context);
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
		const now = await activity();
		return now.animals.isComplete && now;
	});
	assert.deepEqual(after.animals, { available: 1, pending: 0, sold: 4000, none: 8000, isComplete: true });
	assert.equal(after.creates.animals - before.creates.animals, 12_001);
	assert.ok(after.creates.batches >= 13 && after.creates.batches < 1000, `${after.creates.batches} batches`);
	assert.equal(after.requests["4xx"] - before.requests["4xx"], 1);
	assert.ok(after.requests["2xx"] - before.requests["2xx"] >= 2);
	const { upToMs, counts } = after.latency;
	assert.equal(counts.length, upToMs.length + 1);
	const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
	assert.equal(sum(counts), sum(Object.values(after.requests)));
	assert.ok(after.uptimeMs > 0 && after.node === before.node);
});
