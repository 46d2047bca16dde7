// Named schemas: one name, one schema.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiDocument, openApiText } from "./openapi.ts";
import { Pet } from "./pet.ts";
import { component, nameOf, Type } from "./schema.ts";

test("a component name belongs to one schema only, also where its use is optional", () => {
	assert.throws(() => component("Pet", Type.String()), /two schemas named Pet/);
	assert.equal(nameOf(Pet), "Pet");
	assert.equal(nameOf(Type.Optional(Pet)), "Pet");
});

test("a field that equals a named schema is not replaced by a reference", () => {
	const same = Type.Object({ pet: Type.String({ description: Pet.description }) });
	assert.equal(nameOf(same.properties.pet), undefined);
});

test("every reference of the document resolves to a component", () => {
	const { schemas } = openApiDocument().components;
	const names = openApiText().matchAll(/"#\/components\/schemas\/(\w+)"/g);
	for (const [, name = ""] of names) assert.ok(name in schemas, name);
});
