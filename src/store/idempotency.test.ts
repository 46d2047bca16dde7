// The result of each create in a batch with Idempotency-Keys.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type NewPet, petStatuses } from "../contract/pet.ts";
import { fingerprintOf, keyOfCreate, planBatch } from "./idempotency.ts";

const rex: NewPet = { name: "Rex", categoryId: 1n };
const max: NewPet = { name: "Max", categoryId: 1n, status: "sold" };

const create = (pet: NewPet, key?: string, caller = "a") =>
	keyOfCreate({ pet, idempotencyKey: key === undefined ? undefined : { caller, key }, nowMs: 5 });

test("a batch creates an animal for each create without a key and for each new key, in order", () => {
	const taken = [{ caller: "a", key: "old", petId: 7n, fingerprint: fingerprintOf(rex), createdAtMs: 1 }];
	const batch = [
		create(rex),
		create(rex, "old"),
		create(max, "old"),
		create(max, "new"),
		create(max, "new"),
		create(rex, "new"),
		create(rex, "old", "b"),
		create(rex),
	];
	const { added, results } = planBatch(batch, taken, 100n);
	assert.deepEqual(added, [0, 3, 6, 7]);
	assert.deepEqual(batch[3], { caller: "a", key: "new", fingerprint: fingerprintOf(max), createdAtMs: 5 });
	assert.deepEqual(results, [
		{ id: 100n, outcome: "created" },
		{ id: 7n, outcome: "replayed", earlier: { atMs: 1, isRemoved: false } },
		{ id: 7n, outcome: "reused", earlier: { atMs: 1, isRemoved: false } },
		{ id: 101n, outcome: "created" },
		{ id: 101n, outcome: "replayed", earlier: { atMs: 5, isRemoved: false } },
		{ id: 101n, outcome: "reused", earlier: { atMs: 5, isRemoved: false } },
		{ id: 102n, outcome: "created" },
		{ id: 103n, outcome: "created" },
	]);
});

test("requests have the same fingerprint exactly when they create the same animal", () => {
	const names = ["Rex", "rex", "Rex ", "1 Rex", "- Rex", "sold Rex", "1 sold Rex", "2 - Rex", "😀", "é", "e\u0301"];
	const categoryIds = [1n, -1n, 11n, 0n, 9007199254740993n, 9007199254740992n, -(2n ** 63n)];
	const statuses = [undefined, ...petStatuses];
	const pets = names.flatMap((name) =>
		categoryIds.flatMap((categoryId) => statuses.map((status): NewPet => ({ name, categoryId, status }))),
	);
	assert.equal(new Set(pets.map(fingerprintOf)).size, pets.length);
	assert.deepEqual(pets.map(fingerprintOf), structuredClone(pets).map(fingerprintOf));
	assert.equal(fingerprintOf({ name: "Rex", categoryId: 1n }), fingerprintOf({ ...rex, status: undefined }));
});
