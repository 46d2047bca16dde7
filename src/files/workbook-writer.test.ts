// Written workbooks: each text is kept, the pieces are small, and more rows than a sheet can have are refused. Another
// test reads cells whose content does not match their format. Workbooks that the reader cannot take are refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { workbook } from "../../test/support/workbook.ts";
import type { AnyPet } from "../contract/pet.ts";
import { FileError } from "./encoding.ts";
import { formatPets } from "./formats.ts";
import { readRows } from "./rows.ts";
import { readWorkbook } from "./workbook.ts";
import { withZeros } from "./workbook-cells.ts";
import { formatWorkbook } from "./workbook-writer.ts";

async function* pagesOf<Item>(items: Item[], size: number): AsyncGenerator<Item[]> {
	for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

test("every name, category and status is read back, even what XML does not have and what looks like an escape", async () => {
	const names = [
		"=1+1",
		"+49",
		"007",
		"1E3",
		" two  blanks ",
		"blank at the end ",
		" blank at the start",
		"'quoted' \"twice\"",
		"<b>&amp;]]></b>",
		"_x0041_ _x5F_",
		"_x00e9_",
	];
	names.push("\ufffd \ufffe \uffff", "\u0080\u0085\u009f\u00ad\u2028\u2029", "Zoë 🐈 \u202eabc", "TRUE", "2026-11-22");
	const pets = names.map((name, at): AnyPet & { categoryId: bigint } => {
		const status = (["available", "pending", "sold", undefined] as const)[at % 4];
		const categoryId = at % 2 ? 2n ** 63n - 1n : -(2n ** 63n);
		return { id: 2n ** 53n + BigInt(at), name, categoryId, ...(status && { status }) };
	});
	const pieces = await Array.fromAsync(formatPets(pagesOf(pets, 3), "xlsx"));
	const { source, kind } = await readWorkbook(new Blob(pieces as Uint8Array<ArrayBuffer>[]));
	assert.equal(kind.sheet, "Animals");
	const rows = (await Array.fromAsync(readRows(source, kind))).flat();
	assert.deepEqual(
		rows.map(({ pet, given }) => ("cells" in given ? { id: BigInt(given.cells[0] ?? ""), ...pet } : {})),
		pets,
	);
	const parts = unzipSync(Buffer.concat(pieces as Uint8Array[]));
	const partOf = (name: string) => strFromU8(parts[`xl/${name}.xml`] ?? new Uint8Array());
	const sheetXml = partOf("worksheets/sheet1");
	assert.match(partOf("styles"), /<cellXfs count="2"><xf [^>]+><xf numFmtId="49" /, "style 1 is a text");
	assert.match(sheetXml, / state="frozen"\/>.* style="1" .* numberStoredAsText="1"\/>/s);
	assert.match(sheetXml, /^<\?xml[^>]+>\n<worksheet /);
	assert.doesNotMatch(sheetXml, /[\0-\x08\x0b-\x1f\ufffe\uffff]/);
	assert.equal(
		sheetXml.match(/<c /g)?.length,
		sheetXml.match(/ s="1" t="inlineStr">/g)?.length,
		"each cell contains a text",
	);
	assert.match(sheetXml, /<t>_x005F_x0041_ _x005F_x5F_<\/t>/);
	assert.equal(
		sheetXml.match(/<t xml:space="preserve">( two {2}blanks | blank at the start|blank at the end )</g)?.length,
		3,
	);
});

test("a workbook arrives in pieces while it is written, and one row too many ends it", async () => {
	const rows = Array.from({ length: 30_000 }, (_, at) => [String(at), `Animal ${Math.sin(at)}`]);
	const pieces = await Array.fromAsync(formatWorkbook(pagesOf(rows, 1000)));
	const sizes = pieces.map(({ length }) => length);
	assert.ok(Math.max(...sizes) < 100_000 && sizes.length > 10, `${sizes}`);
	assert.equal((await Array.fromAsync(formatWorkbook(pagesOf(rows.slice(0, 3), 2), 3))).length > 0, true);
	const isExpected = (error: unknown) =>
		error instanceof FileError && /^a workbook holds at most 1048575/.test(error.message);
	await assert.rejects(Array.fromAsync(formatWorkbook(pagesOf(rows.slice(0, 4), 2), 3)), isExpected);
});

test("a number that is too large for a date, in a column of dates, becomes what spreadsheets save, and the rest is read", async () => {
	const cells = ["Rex", { digits: "1" }, { days: 46_348 }, { days: 276_098_100_123_456 }, { days: 46_348.5 }];
	const { source } = await readWorkbook(
		new Blob([workbook({ A: [["name", "categoryId", "since", "chip", "seen"], cells] })]),
	);
	const [bytes] = await Array.fromAsync(source());
	assert.equal(
		new TextDecoder().decode(bytes),
		"name,categoryId,since,chip,seen\nRex,1,2026-11-22,########,2026-11-22T12:00:00.000Z\n",
	);
});

test("only numbers get the zeros that their format shows", () => {
	const cells = (number: string) => `${number}<c s="1" t="b"><v>1</v></c><c s="1" t="str"><f>A1</f><v>7</v></c>`;
	const zeros = '<c s="1" t="str"><v>00007</v></c>';
	assert.equal(withZeros(cells('<c s="1" t="n"><v>7</v></c>'), new Map([["1", 5]])), cells(zeros));
});

test("cells and rows without a position, and characters beyond U+FFFF as references, are read as they are meant", async () => {
	const rows = [
		["name", "categoryId", "status", "note"],
		["Mia \u{1F408}", "7", undefined, "\u{1F408}"],
	];
	const parts = unzipSync(workbook({ A: rows }));
	const change = (name: string, replace: (xml: string) => string) => {
		parts[name] = strToU8(replace(strFromU8(parts[name] ?? new Uint8Array())));
	};
	// The cell after the gap keeps its position.
	change("xl/worksheets/sheet1.xml", (xml) => xml.replace(/ r="(?!D)\w+"/g, "").replace(/ r="(D\d)"/g, " r='$1'"));
	change("xl/sharedStrings.xml", (xml) => xml.replace("\u{1F408}", "&#128008;").replace("\u{1F408}", "&#x1f408;"));
	const { source } = await readWorkbook(new Blob([Buffer.from(zipSync(parts))]));
	const [bytes] = await Array.fromAsync(source());
	assert.equal(new TextDecoder().decode(bytes), "name,categoryId,status,note\nMia \u{1F408},7,,\u{1F408}\n");
});

test("a chart is no sheet; a workbook that needs much time or memory is refused before it is built", async () => {
	const book = workbook({
		A: [["name"], ["Rex"]],
		B: [["x"], ["y"]],
	});
	/** What is read of the workbook after changes of its parts; the message of an error. */
	const readWith = async (changes: Record<string, (xml: string) => string>, sheet?: string) => {
		const parts = unzipSync(book);
		for (const [name, change] of Object.entries(changes))
			parts[`xl/${name}`] = strToU8(change(strFromU8(parts[`xl/${name}`] ?? new Uint8Array())));
		return readWorkbook(new Blob([Buffer.from(zipSync(parts))]), sheet).then(
			({ sheets }) => sheets.join(),
			(error) => (error instanceof FileError ? error.message : error),
		);
	};
	const sheetOne = (change: (xml: string) => string) => readWith({ "worksheets/sheet1.xml": change });
	const rels = "_rels/workbook.xml.rels";
	const chart = (xml: string) => xml.replace('/worksheet" Target="worksheets/sheet2', '/chartsheet" Target="c');
	assert.equal(await readWith({ [rels]: chart }), "A");
	assert.equal(await readWith({ [rels]: chart }, "B"), 'the workbook has no sheet "B", but A');
	assert.equal(await readWith({ [rels]: (xml) => xml.replace("sheet2", "sheet1") }), "B");
	const far = (cell: string) => (xml: string) => xml.replace("</sheetData>", `<row>${cell}</row></sheetData>`);
	const tooFar = (at: string) => `cell ${at} is too far away: delete it, or save the sheet as CSV`;
	assert.equal(await sheetOne(far('<c r="XFD100000"><v>1</v></c>')), tooFar("XFD100000"));
	assert.equal(await sheetOne(far('<x:c x="\'>" r="XFD100000"><v>1</v></x:c>')), tooFar("XFD100000"));
	assert.equal(await sheetOne(far('<c r="A1048577"/>')), tooFar("A1048577"));
	const wide = far('<c r="XFD400"><v>1</v></c>');
	const two = { "worksheets/sheet1.xml": wide, "worksheets/sheet2.xml": wide };
	assert.equal(await readWith(two), tooFar("XFD400"), "the cells of all sheets count");
	assert.equal(await sheetOne(far('<c r="XFD3" s="1"/>')), "A,B", "an empty cell takes no room");
	const control = "</sheetData><controls><from><xdr:row>1</xdr:row></from></controls>";
	const withControl = (xml: string) => xml.replace("</sheetData>", `<row r="1048576"/>${control}`);
	assert.equal(await sheetOne(withControl), "A,B", "a control's row is none of the sheet");
	for (const [cell, shown] of [
		['<c r="XFD&#49;00000"><v>1</v></c>', "<c"],
		["<row r='1e9'>", "<row r='1e9'>"],
		['<c r="A3" x:r="XFD100000"><v>1</v></c>', '<c r="A3" x:r="XFD100000">'],
		[`<c r="${"A".repeat(400)}1"/>`, `<c r="${"A".repeat(34)}`],
	] as const)
		assert.equal(await sheetOne(far(cell)), unreadable(shown));
	const sheets = '<sheet name="C" r:id="rId1"/>'.repeat(1000);
	const manySheets = await readWith({ "workbook.xml": (xml) => xml.replace("</sheets>", `${sheets}</sheets>`) });
	assert.equal(manySheets, unreadable("more than 1000 sheets"));
	const long = "x".repeat(60_000);
	const cells = Array.from(
		{ length: 2300 },
		(_, row) => `<row r="${row + 3}"><c r="A${row + 3}" t="s"><v>0</v></c></row>`,
	);
	const shared = await readWith({
		"worksheets/sheet1.xml": (xml) => xml.replace("</sheetData>", `${cells.join("")}</sheetData>`),
		"sharedStrings.xml": (xml) => xml.replace("name", long),
	});
	assert.equal(shared, "the workbook unpacks to more than 128 MiB: save the sheet as CSV");
	const endless = Buffer.from(book);
	endless.writeUInt16LE(65_535, endless.length - 14);
	await assert.rejects(readWorkbook(new Blob([endless])), { message: /^the archive is damaged/ });
});

const unreadable = (why: string) => `the workbook cannot be read (${why}): save it again, or save the sheet as CSV`;
