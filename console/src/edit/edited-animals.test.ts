// What is shown of edited animals while edits wait for their results, after a refusal, and after a new reply.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Pet } from "../../../src/contract/pet.ts";
import { createEditedAnimals } from "./edited-animals.ts";
import type { Change, Edit } from "./edits.ts";

test("an animal is shown with its latest edit until all its edits are settled and the list is read again", () => {
	let reply = {};
	const animals = createEditedAnimals(() => reply);
	const [rex, mia]: Pet[] = [1n, 2n].map((id) => ({ id, name: `${id}`, categoryId: 4n, status: "available" }));
	assert.ok(rex && mia);
	const edit = (pet: Pet, change: Change): Edit => ({ pet, change });
	const shown = () => animals.edited([rex, mia]).map(({ name, status }) => `${name} ${status}`);
	for (const round of [1, 2]) {
		const sold = animals.expect([edit(rex, { action: "set-status", status: "sold" }), edit(mia, { action: "remove" })]);
		assert.deepEqual(shown(), ["1 sold"], `round ${round}`);
		const named = animals.expect([edit({ ...rex, status: "sold" }, { action: "rename", name: "Max" })]);
		assert.deepEqual(shown(), ["Max sold"]);
		animals.settle(sold, [{ outcome: "edited", pet: { ...rex, status: "sold" } }]);
		assert.deepEqual(shown(), ["Max sold", "2 available"], "the removal failed, and the new name still waits");
		reply = {};
		assert.deepEqual(shown(), ["Max sold", "2 available"], "the reply may be older than the edit that waits");
		animals.settle(named, [{ outcome: "conflict", pet: { ...rex, name: "Bo", status: "pending" } }]);
		assert.deepEqual(shown(), ["Bo pending", "2 available"], "what the service has, until it is read again");
		reply = {};
		assert.deepEqual(shown(), ["1 available", "2 available"], "the new reply has it");
	}
	animals.settle(animals.expect([edit(mia, { action: "remove" })]), [{ outcome: "edited" }]);
	assert.deepEqual(shown(), ["1 available"]);
});
