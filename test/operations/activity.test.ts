// The activity figures for the console. Access to them is in test/contract/corpus/credentials and methods.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Activity } from "../../src/contract/console.ts";
import { create, testService } from "../support/service.ts";
import { until } from "../support/until.ts";

const path = "/console/activity";

test("activity counts every reply to an operation, and every animal once", async (context) => {
	const service = await testService(context, { mixes: false });
	const activity = async () => {
		const { status, body } = await service.send({ path });
		assert.equal(status, 200, body);
		return JSON.parse(body) as Activity;
	};
	assert.deepEqual((await activity()).minutes, [{ replies: 0 }]);
	await Promise.all(
		Array.from({ length: 12_000 }, (_, index) =>
			service.store.createPet({ name: "a", categoryId: 1n, ...(index % 3 === 0 && { status: "sold" }) }),
		),
	);
	for (const body of ['{"name":"a","categoryId":1,"status":"available"}', "{"]) await service.send(create(body));
	await service.send({ path: "/livez" });
	const { minutes, animals, edits } = await until("every animal to be counted", async () => {
		const read = await activity();
		return read.animals.isComplete && read;
	});
	assert.deepEqual(animals, { available: 1, pending: 0, sold: 4000, none: 8000, isComplete: true });
	assert.deepEqual(
		[minutes.reduce((sum, { replies }) => sum + replies, 0), edits],
		[2, 0],
		"pages and probes are not counted",
	);
	const { p95Ms = 0 } = minutes.find(({ replies }) => replies > 0) ?? {};
	assert.ok(p95Ms > 0, `${p95Ms} ms`);
});
