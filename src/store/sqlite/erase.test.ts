// Erasing a name: the search in the file finds it wherever it is.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { countInFile } from "./erase.ts";

test("every occurrence in a file is counted, also across the parts in which it is read, and overlapping ones", (context) => {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-test-"));
	context.after(() => rmSync(folder, { recursive: true }));
	const file = join(folder, "f");
	const part = 4 * 1024 * 1024;
	const name = Buffer.from("Räuber Hotzenplotz");
	const bytes = Buffer.alloc(3 * part + 100);
	const places = [0, 50, part - 5, 2 * part - name.length, 3 * part - 1, bytes.length - name.length];
	for (const place of places) name.copy(bytes, place);
	writeFileSync(file, bytes);
	assert.equal(countInFile(file, name), places.length);
	for (const [text, searched, count] of [
		["aaaa", "aa", 3],
		["aaaa", "a", 4],
		["", "a", 0],
		["b", "ab", 0],
	] as const) {
		writeFileSync(file, text);
		assert.equal(countInFile(file, Buffer.from(searched)), count, text);
	}
});
