// Erasing a name: the search in the file finds it wherever it is.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
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

// Only Linux lists the locks of processes.
if (process.platform === "linux") {
	test("a search leaves this process its locks on the file, which keep others from removing the log", (context) => {
		const folder = mkdtempSync(join(tmpdir(), "animal-store-test-"));
		const file = join(folder, "s.db");
		const database = new Database(file);
		context.after(() => {
			database.close();
			rmSync(folder, { recursive: true });
		});
		database.pragma("journal_mode = WAL");
		database.exec("CREATE TABLE pets (name TEXT)");
		const own = `:${statSync(file).ino} `;
		const locks = () =>
			readFileSync("/proc/locks", "utf8")
				.split("\n")
				.filter((line) => line.includes(own))
				.map((line) => line.replace(/^\d+/, ""));
		const before = locks();
		assert.ok(before.length > 0);
		countInFile(file, Buffer.from("Rex"));
		assert.deepEqual(locks(), before);
	});
}
