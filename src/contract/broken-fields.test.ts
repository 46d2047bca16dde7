// What is written about broken fields is read back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import { brokenFieldsIn, brokenFieldsMessage } from "./broken-fields.ts";
import { ApiError } from "./errors.ts";
import { operations } from "./operations.ts";
import { NewPet } from "./pet.ts";
import type { TObject } from "./schema.ts";
import { checkNewPet } from "./validate.ts";

/** Every rule that the contract's schemas can be broken by. */
const schemas: TObject[] = [NewPet, ...Object.values(operations).map(({ query }) => query)];
const rules = schemas.flatMap(({ properties }) =>
	Object.entries(properties).map(([field, schema]) => ({ field, rule: String(schema.description) })),
);

test("every schema is valid JSON Schema", () => {
	const ajv = new Ajv({ strict: false });
	for (const schema of schemas)
		assert.equal(ajv.validateSchema(JSON.parse(JSON.stringify(schema))), true, ajv.errorsText());
	assert.equal(ajv.validateSchema({ type: "animal" }), false);
});

test("the broken fields are parsed from the error message, for every rule of the contract", () => {
	assert.ok(rules.length >= 6);
	for (const verb of ["must be", "is required and must be"]) {
		const broken = rules.map(({ field, rule }) => ({ field, rule: `${verb} ${rule}` }));
		assert.deepEqual(brokenFieldsIn(brokenFieldsMessage(broken)), broken);
	}
	const whole = [{ field: undefined, rule: "must be a JSON object" }];
	assert.deepEqual(brokenFieldsIn(brokenFieldsMessage(whole)), whole);
});

test("the error message of a rejected animal names its broken fields", () => {
	const fieldsOf = (value: unknown) => {
		try {
			checkNewPet(value);
		} catch (error) {
			assert.ok(error instanceof ApiError && error.code === "invalid_body");
			return brokenFieldsIn(error.message).map(({ field }) => field);
		}
		return assert.fail("it was taken");
	};
	assert.deepEqual(fieldsOf({ categoryId: 1.5 }).sort(), ["categoryId", "name"]);
	assert.deepEqual(fieldsOf({ name: "a", categoryId: 1, status: "gone" }), ["status"]);
	assert.deepEqual(fieldsOf([]), [undefined]);
});

test("an unknown message names no field", () => {
	const message = "something else went wrong";
	assert.deepEqual(brokenFieldsIn(message), [{ field: undefined, rule: message }]);
});
