// For any content, the check of an animal agrees with JSON Schema, and CSV is read back as it was written.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import fc from "fast-check";
import { isInt64 } from "../../src/contract/json.ts";
import { NewPet, petStatuses } from "../../src/contract/pet.ts";
import { checkFields } from "../../src/contract/validate.ts";
import { csvRecords } from "../../src/files/csv-records.ts";
import { csv } from "../../src/files/formats.ts";
import { seed } from "../support/random.ts";

fc.configureGlobal({ seed });

test("an animal is accepted exactly if JSON Schema accepts it, and keeps only known fields", () => {
	const unit = fc.constantFrom(" ", "\u00a0", "\n", "\t", "a", "\ud800", "😀", "\u0000", "\u007f", "\u0085");
	const name = fc.oneof(fc.string({ unit, maxLength: 300 }), fc.string({ unit: "binary" }), fc.anything());
	const categoryId = fc.oneof(fc.bigInt(-(2n ** 64n), 2n ** 64n), fc.integer(), fc.double(), fc.anything());
	const status = fc.oneof(fc.constantFrom(...petStatuses), fc.anything());
	const pet = fc.record({ name, categoryId, status, id: fc.anything() }, { requiredKeys: [] });
	// Ajv does not accept a bigint as an integer, so a custom keyword checks int64.
	const ajv = new Ajv({ allErrors: true, ownProperties: true });
	ajv.addKeyword({ keyword: "int64", validate: (_schema: true, value: unknown) => isInt64(value) });
	const isOurs = (name: string) => ["component", "published", "optional"].includes(name);
	const keywords = JSON.stringify(NewPet, (name, part) => (isOurs(name) ? undefined : part));
	const isValid = ajv.compile(
		JSON.parse(keywords, (_name, part) => (part?.format === "int64" ? { int64: true } : part)),
	);
	fc.assert(
		fc.property(pet, (given) => {
			isValid({ ...given });
			const broken = (isValid.errors ?? []).map(({ instancePath, params }) =>
				String(params["missingProperty"] ?? instancePath.slice(1)),
			);
			const { value, faults = [] } = checkFields({ ...given });
			assert.deepEqual(new Set(faults.map(({ field }) => field)), new Set(broken));
			if (faults.length === 0) assert.ok(Object.keys(value).every((field) => field in NewPet.properties));
		}),
		{ numRuns: 200 },
	);
});

async function cellsOf(text: string, delimiter: string, pieceSize: number): Promise<string[][]> {
	async function* pieces() {
		for (let at = 0; at < text.length; at += pieceSize) yield text.slice(at, at + pieceSize);
	}
	return (await Array.fromAsync(csvRecords(pieces(), delimiter))).flat().map(({ cells }) => cells);
}

const delimiter = fc.constantFrom(",", ";", "\t");
const pieceSize = fc.integer({ min: 1, max: 20 });

test("cells that are written as CSV, with any delimiter, are read back unchanged", async () => {
	const cell = fc.string({ unit: fc.constantFrom("a", '"', ",", ";", "\t", "\n", "\r", " ", "é"), maxLength: 8 });
	const row = fc.array(cell, { minLength: 1, maxLength: 6 });
	await fc.assert(
		fc.asyncProperty(fc.array(row), delimiter, pieceSize, async (rows, delimiter, pieceSize) => {
			const isWritten = (text: string) => !(delimiter === "\t" && text.includes("\t") && text.includes("\n"));
			const written = rows.map((cells) => cells.filter(isWritten)).filter((cells) => /\S/.test(cells.join()));
			// A line break of Windows in a cell becomes a plain line break.
			const expected = written.map((cells) => cells.map((text) => text.replaceAll("\r\n", "\n")));
			const lines = csv(written, delimiter);
			assert.deepEqual(await cellsOf(lines, delimiter, pieceSize), expected);
			assert.deepEqual(await cellsOf(lines.replace(/\n$/, ""), delimiter, pieceSize), expected, "no last line break");
		}),
	);
});

test("quotes in cells that do not begin with one are text, and never join rows or cells", async () => {
	const inside = fc.string({ unit: fc.constantFrom("a", '"', " "), maxLength: 5 });
	const cell = fc.oneof(
		inside.map((text) => `a${text}`),
		// The cell has text after the quote that would close it.
		inside.map((text) => `"a${text.replaceAll('"', "")}" ${text}b`),
	);
	const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 6 }), { minLength: 1 });
	await fc.assert(
		fc.asyncProperty(rows, delimiter, pieceSize, async (rows, delimiter, pieceSize) => {
			const text = rows.map((cells) => `${cells.join(delimiter)}\r\n`).join("");
			assert.deepEqual(await cellsOf(text, delimiter, pieceSize), rows);
		}),
	);
});
