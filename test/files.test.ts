// Files of animals with arbitrary content: the check of a row against the service's own, and CSV read back as it was written.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ApiError } from "../src/contract/errors.ts";
import { petStatuses } from "../src/contract/pet.ts";
import { checkNewPet } from "../src/contract/validate.ts";
import { checkPet } from "../src/files/faults.ts";
import { csv } from "../src/files/pet-formats.ts";
import { cellsOf } from "../src/files/records.ts";
import { seed } from "./random.ts";

fc.configureGlobal({ seed });

test("faults are found exactly where the service's own check finds them", () => {
	const unit = fc.constantFrom(" ", "\u00a0", "\n", "\t", "a", "\ud800", "😀", "\u0000", "\u007f", "\u0085");
	const name = fc.oneof(fc.string({ unit, maxLength: 300 }), fc.string({ unit: "binary" }), fc.anything());
	const categoryId = fc.oneof(fc.bigInt(-(2n ** 64n), 2n ** 64n), fc.integer(), fc.double(), fc.anything());
	const status = fc.oneof(fc.constantFrom(...petStatuses), fc.anything());
	const pet = fc.record({ name, categoryId, status }, { requiredKeys: [] });
	fc.assert(
		fc.property(pet, (given) => {
			const result = checkPet({ ...given });
			try {
				assert.deepEqual("pet" in result && result.pet, checkNewPet({ ...given }));
			} catch (error) {
				if (!(error instanceof ApiError)) throw error;
				const faulty = "faults" in result ? result.faults.map(({ field }) => field) : [];
				const named = ["name", "categoryId", "status"].filter((field) =>
					new RegExp(`\\b${field} (must|is)`).test(error.message),
				);
				assert.deepEqual(faulty, named);
			}
		}),
		{ numRuns: 200 },
	);
});

test("what is written as CSV, with any delimiter, is read again", () => {
	const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", ";", "\t", "\n", " ", "é") });
	fc.assert(
		fc.property(fc.array(cell, { minLength: 1 }), fc.constantFrom(",", ";", "\t"), (cells, delimiter) => {
			assert.deepEqual(cellsOf(csv([cells], delimiter).slice(0, -1), delimiter), cells);
		}),
	);
});
