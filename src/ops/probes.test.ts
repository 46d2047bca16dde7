// What the probes say about a store that does not answer, whose writes fail, or which needs a restart.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { within } from "../../test/support/until.ts";
import { createProbes } from "./probes.ts";

const never = () => new Promise<never>(() => {});

/** The probes of a node with this store. They wait at most 50 ms for it. */
function probesOf(store: Partial<ReturnType<Parameters<typeof createProbes>[0]>["store"]>) {
	const getPet = async () => ({ json: undefined, version: { timeline: "", lastEdit: 0n, lastId: 0n } });
	const whole = { getPet, writeState: () => "working" as const, checkWrites: async () => {}, ...store };
	return createProbes(
		() => ({ store: whole }),
		() => false,
		50,
	);
}

test("readyz is 503 when the store does not answer in time", async () => {
	await assert.rejects(within("the answer", probesOf({ getPet: never }).ready()), { code: "storage_unavailable" });
	const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
	const before = timers();
	await probesOf({}).ready();
	assert.equal(timers(), before, "no timer is left");
	const notOpen = () => ({});
	const early = createProbes(notOpen, () => false);
	await assert.rejects(early.ready(), { code: "storage_unavailable" }, "before the store is open");
	assert.deepEqual(early.live(), { status: "ok", writes: "failing" });
});

test("readyz shows the outcome of the write that it asks for, unless that takes too long", async () => {
	let state: "working" | "failing" = "working";
	const checkWrites = async () => {
		await sleep(10);
		state = "failing";
	};
	assert.equal((await probesOf({ writeState: () => state, checkWrites }).ready()).writes, "failing");
	assert.equal((await within("the answer", probesOf({ checkWrites: never }).ready())).status, "ok");
});

test("readyz depends on reads only; livez fails only when creates need a restart", async () => {
	for (const state of ["working", "slow", "failing", "stopped"] as const) {
		const probes = probesOf({ writeState: () => state });
		const reply = { status: "ok", writes: state };
		assert.deepEqual(await probes.ready(), reply);
		if (state === "stopped") assert.throws(() => probes.live(), { code: "storage_unavailable" });
		else assert.deepEqual(probes.live(), reply);
	}
});
