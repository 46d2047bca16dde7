// Each name belongs to one schema.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Pet } from "./pet.ts";
import { component, Type } from "./schema.ts";

test("a component name belongs to one schema only, even where its use is optional", () => {
	assert.throws(() => component("Pet", Type.String({})), /two schemas named Pet/);
	assert.equal(Pet.component, "Pet");
	assert.equal(Type.Optional(Pet).component, "Pet");
});
