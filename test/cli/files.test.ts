// For any content, CSV is read back as it was written.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { csvRecords } from "../../src/files/csv-records.ts";
import { csv } from "../../src/files/formats.ts";
import { seed } from "../support/random.ts";

fc.configureGlobal({ seed });

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
			const written = rows.map((cells) => cells.filter(isWritten)).filter((cells) => /\S/.test(cells.join(delimiter)));
			// A line break of Windows in a cell becomes a plain line break.
			const expected = written.map((cells) => cells.map((text) => text.replaceAll("\r\n", "\n")));
			const lines = csv(written, delimiter);
			assert.deepEqual(await cellsOf(lines, delimiter, pieceSize), expected);
			assert.deepEqual(await cellsOf(lines.replace(/\n$/, ""), delimiter, pieceSize), expected, "no last line break");
		}),
	);
});
