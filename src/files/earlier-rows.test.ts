// Rows that were added within a day are known by what they contain.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { read } from "../../test/support/read-rows.ts";
import type { ImportedRow, ImportedRows } from "../contract/console.ts";
import { findEarlier } from "./earlier-rows.ts";
import { rowHasher } from "./row-content.ts";
import { correctedRow } from "./rows.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const hashesOf = rowHasher(hash);

test("of equal rows, one of the file's own takes the place of no row of another file", async () => {
	const { rows } = await read("name,categoryId\nKitten,2\nKitten,2\nMia,2\nRex,1\n");
	const [kitten, , mia] = rows.map((row) => ({ ...hashesOf(row), import: 0, id: 9, number: "7" }));
	assert.ok(kitten && mia);
	const asked: string[] = [];
	const ask = async (path: string): Promise<ImportedRows> => {
		asked.push(path);
		const own: ImportedRow[] = [{ ...kitten, number: String(rows[0]?.number) }];
		const found = path.includes("of=") ? own : path.includes("before=") ? [mia] : [kitten];
		const imports = [{ file: "a.csv", digest: "0b", by: "Ann", atMs: 1 }];
		return { rows: found, imports, ...(path === "/console/imports/rows?without=0a" && { next: "1" }) };
	};
	async function* pieces() {
		yield rows;
	}
	const file = { file: "b.csv", digest: "0a" };
	const { found, first, isDecided } = await findEarlier({ rows: pieces(), file, hash }, ask as never);
	assert.deepEqual([...found.keys()], [rows[1]?.number, rows[2]?.number]);
	assert.deepEqual([first, isDecided], [rows.slice(1, 3), true]);
	assert.deepEqual(
		asked,
		["", "&before=1"].map((rest) => `/console/imports/rows?without=0a${rest}`).concat("/console/imports/rows?of=0a"),
	);
});

test("a row has the same content and id in tables, in JSON, and after it was rejected", async () => {
	const of = async (text: string) => JSON.stringify(hashesOf((await read(text)).rows[0] ?? assert.fail(text)));
	const known = await of("id,name,categoryId\nZ1,Rex,1\n");
	assert.match(known, /"listId"/);
	for (const id of ["Tier-Nr.", "Tag #", "Mascota ID", "Ear number", "Chip Nummer", "microchip", "Tag número"]) {
		const table = `${id},name,categoryId\n`;
		const rejected = `line,reason,Sheet,${table}2,x,A,Z1,Rex,1\n`;
		const json = `{"${id}":"Z1","name":"Rex","categoryId":1,"line":2,"reason":"x"}`;
		for (const text of [`${table}Z1,Rex,1\n`, rejected, json]) assert.equal(await of(text), known, text);
	}
});

test("a row that a person has corrected is known by what its file has", async () => {
	const { rows } = await read("name,categoryId\n Rex,1\n");
	const [row] = rows;
	assert.ok(row);
	const once = correctedRow(row, { name: "Max" }, {});
	assert.deepEqual(hashesOf(once), hashesOf(row));
	assert.notDeepEqual(hashesOf({ ...once, original: once.given }), hashesOf(row));
});
