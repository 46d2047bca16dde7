// Files of animals as spreadsheets and programs write them: the detected kind of file, the rows, and the errors.

import assert from "node:assert/strict";
import { test } from "node:test";
import { read, sourceOf } from "../../test/support/read-rows.ts";
import { describeFaults } from "../contract/validate.ts";
import { FileError } from "./encoding.ts";
import { detectKind, formatPets } from "./formats.ts";
import { previewRows } from "./rows.ts";

const utf16 = (text: string, isBigEndian = false) => {
	const bytes = Buffer.from(text, "utf16le");
	return new Uint8Array(isBigEndian ? bytes.swap16() : bytes);
};
const zoe = { name: "Zoë", categoryId: 7n, status: "sold" };

test("what spreadsheets write is detected: delimiter, encoding, and names of columns in any spelling", async () => {
	const windows = Uint8Array.from(Buffer.from("Name;Category ID;Status\r\nZo\xeb;7;sold\r\n", "latin1"));
	const windowsEnd = Uint8Array.from(Buffer.from("Status;Category;Name\r\nsold;7;Zo\xeb", "latin1"));
	const files: [content: string | Uint8Array, kind: string][] = [
		["name,categoryId,status\nZoë,7,sold\n", "CSV with commas, UTF-8"],
		["\uFEFFNAME;CategoryID;STATUS\r\nZoë;7;sold\r\n", "CSV with semicolons, UTF-8"],
		["Status\tcategory_id\tName\nsold\t7\tZoë", "CSV with tabs, UTF-8"],
		["sep=;\r\nName;Category;Status\r\nZoë;7;sold\r\n", "CSV with semicolons, UTF-8"],
		['"name","category-id","status"\n"Zoë","7","sold"\n\n', "CSV with commas, UTF-8"],
		["Name;Category;Status;;\r\nZoë;7;sold;;;;\r\n;;;;\r\n;;;FALSCH;\r\n", "CSV with semicolons, UTF-8"],
		[windows, "CSV with semicolons, Windows-1252"],
		[windowsEnd, "CSV with semicolons, Windows-1252"],
		[utf16("\uFEFFName\tCategory ID\tStatus\r\nZoë\t7\tsold\r\n"), "CSV with tabs, UTF-16LE"],
		[utf16("\uFEFFname,categoryId,status\nZoë,7,sold", true), "CSV with commas, UTF-16BE"],
		[utf16("name,categoryId,status\nZoë,7,sold"), "CSV with commas, UTF-16LE"],
		[utf16("name,categoryId,status\nZoë,7,sold", true), "CSV with commas, UTF-16BE"],
		['{"Name":"Zoë","CategoryID":7,"status":"sold"}\n', "NDJSON, UTF-8"],
		[' [ {"name":"Zoë","category_id":7.0,"status":"sold"} ] ', "a JSON array, UTF-8"],
		[utf16('\uFEFF[{"name":"Zoë","categoryId":7,"status":"sold"}]'), "a JSON array, UTF-16LE"],
	];
	for (const [content, expected] of files) {
		for (const pieceSize of [1, 7, 65_536]) {
			const { kind, pets, reasons } = await read(content, {}, pieceSize);
			assert.deepEqual([kind, pets, reasons], [expected, [zoe], []]);
		}
	}
	const beside = await read("Name;Tiername;Kategorie;Kategorie-Nr.;Status\nFrau Groß;Zoë;Hunde;7;sold\n");
	assert.deepEqual(beside.pets, [zoe], "the owner's and the category's name are in separate columns");
	const euro = await read(Uint8Array.from(Buffer.from("name,categoryId\n\x80 \x93Rex\x94,1\n", "latin1")));
	assert.deepEqual(euro.pets, [{ name: "€ “Rex”", categoryId: 1n }]);
	// These first bytes are never valid in UTF-8, whatever bytes follow.
	const never = await read(
		Uint8Array.from(Buffer.from("name,categoryId\nVOIL\xc0\x80 \xf5\x80\x80\x80,1\n", "latin1")),
	);
	assert.deepEqual(never.pets, [{ name: "VOILÀ€ õ€€€", categoryId: 1n }]);
	const looksLikeBoth = await read(Uint8Array.from(Buffer.from("name,categoryId\nZo\xc3\xab \xeb,1\n", "latin1")));
	assert.deepEqual(looksLikeBoth.pets, [{ name: "ZoÃ« ë", categoryId: 1n }]);
});

test("quotes in a cell are text, in every column, in files and in what spreadsheets put on the clipboard", async () => {
	const table = [
		["Name", "Collar", "Category", "Status"],
		['Rex "the King"', '12"', "1", "sold"],
		['"Rex" the King', "", "2", ""],
		['Ann 5"', '6" or 7"', "3", ""],
	];
	for (const delimiter of [",", ";", "\t"]) {
		const text = table.map((cells) => `${cells.join(delimiter)}\r\n`).join("");
		const { kind, pets, reasons } = await read(text);
		const found = pets.map(({ name, categoryId }) => `${categoryId} ${name}`);
		assert.deepEqual(found, ['1 Rex "the King"', '2 "Rex" the King', '3 Ann 5"'], kind);
		assert.deepEqual(reasons, []);
	}
	// A single quote as a ditto mark ("the same as above"), which spreadsheets copy to the clipboard unescaped.
	const { pets } = await read('Name\tPlace\tCategory\nRex\tBerlin\t1\nAnn\t"\t2\nBo\t"\t3\n"Kit\t\t4\n');
	const names = pets.map(({ name }) => name);
	assert.deepEqual(names, ["Rex", "Ann", "Bo", '"Kit']);
	// With another delimiter, this quote would open a cell.
	const title = await read('Our list; "2026\n\nTier;Kategorie;Halsband\nRex;1;a,"b\n');
	assert.deepEqual([title.kind, title.pets], ["CSV with semicolons, UTF-8", [{ name: "Rex", categoryId: 1n }]]);
});

test("a row is empty if only columns of no field have boxes that are not checked", async () => {
	const { pets, reasons } = await read("name,categoryId,chipped\nFalse,1,FALSE\n,,Faux\n,,FALSO\nFalsch,,\n,,TRUE\n");
	assert.deepEqual(pets, [{ name: "False", categoryId: 1n }]);
	assert.match(reasons.join("\n"), /^5: categoryId .*\n6: name /);
});

test("a row may have as many characters as a body may have bytes, wherever the pieces of the file end", async () => {
	const header = "name,categoryId,notes\r\n";
	const row = `Rex,1,${"x".repeat(65_530)}`;
	for (const pieceSize of [header.length + row.length + 1, header.length + row.length, 65_536, 1_000_000]) {
		const { pets, reasons } = await read(`${header}${row}\r\n`, {}, pieceSize);
		assert.deepEqual([pets, reasons], [[{ name: "Rex", categoryId: 1n }], []]);
		const isExpected = (error: Error) => error instanceof FileError && error.line === 2;
		await assert.rejects(read(`${header}${row}x\r\n`, {}, pieceSize), isExpected);
		const start = '{"name":"Rex","categoryId":1,"notes":"';
		for (const [before, after] of [
			[`${"{}".padEnd(header.length - 2)}\r\n`, "\r\n"],
			["[{},", "]"],
			["[{},\n", ",{}]"],
		]) {
			const readJson = (length: number) => read(`${before}${start.padEnd(length - 2, "x")}"}${after}`, {}, pieceSize);
			assert.deepEqual((await readJson(65_536)).pets, [{ name: "Rex", categoryId: 1n }]);
			await assert.rejects(readJson(65_537), FileError);
		}
	}
});

const nameRule =
	"must be a string of 1 to 255 Unicode code points: not only white space, no control characters, no lone surrogates";
const integerRule = "must be an integer from -9223372036854775808 to 9223372036854775807";
const statusRule = 'must be one of "available", "pending", "sold"';

test("each fault names the field and its rule in the words of the service, with the line", async () => {
	const rows: [row: string, reason: string][] = [
		['"Re\nx",1,', `name ${nameRule}`],
		[",1,", `name ${nameRule}`],
		["\u2003 ,1,", `name ${nameRule}`],
		[`${"🐈".repeat(256)},1,`, `name ${nameRule}`],
		["Rex,,", `categoryId ${integerRule}`],
		["Rex,7-,", `categoryId ${integerRule}`],
		["Rex,1.5,gone", `categoryId ${integerRule}; status ${statusRule}`],
		["Rex,9223372036854775808,", `categoryId ${integerRule}`],
		["Rex,1,,more", "more cells than columns: put text with a delimiter in quotes"],
	];
	for (const [row, reason] of rows) {
		const { reasons, pets } = await read(
			`name,categoryId,status\n${row}\n${"🐈".repeat(255)},-9223372036854775808\n`,
			{},
			60_000,
		);
		assert.deepEqual(reasons, [`2: ${reason}`]);
		assert.equal(pets.length, 1);
	}
	const lines: [row: string, reason: RegExp][] = [
		["{broken", /^not one JSON object: .+/],
		...["5", "null", "[1]"].map((row): [string, RegExp] => [row, /^not a JSON object$/]),
		['{"categoryId":1}', /^name must be a string of 1 to 255 [^;]+$/],
		[
			'{"name":{"en":"Rex"},"categoryId":[1],"status":"sold"}',
			/^name must be a string [^;]+; categoryId must be an integer [^;]+$/,
		],
		...["1e400", "12345678901234567890123", "1.10"].map((name): [string, RegExp] => [
			`{"name":${name},"categoryId":1}`,
			/^name must be a string [^;]+$/,
		]),
		[
			'{"name":{"en":"Rex"},"categoryId":{"id":1}}',
			/^name must be a string [^;]+; categoryId must be an integer [^;]+$/,
		],
		['{"name":"Bo","categoryId":1,"status":{"state":"sold"}}', /^status must be one of/],
		['{"name":"\\ud800","categoryId":1e19}', /^name must be a string [^;]+; categoryId must be an integer [^;]+$/],
		['{"name":"a","categoryId":1,"status":0}', /^status must be one of/],
	];
	for (const [row, reason] of lines) {
		const { rows: [, found] = [] } = await read(`{"name":"a","categoryId":1,"status":"sold"}\n${row}`);
		assert.match(describeFaults(found?.faults ?? []), reason);
	}
});

test("a field of JSON may be named late, or after a thousand others, and is as it is in the file", async () => {
	const many = Object.fromEntries(Array.from({ length: 1200 }, (_, at) => [`x${at}`, at]));
	const { pets } = await read(JSON.stringify([{ ...many, name: 9007199254740991, categoryId: "1", toString: "y" }]));
	assert.deepEqual(pets, [{ name: "9007199254740991", categoryId: 1n }]);
	const filler = `{"name":"Rex","categoryId":1,"note":"${"x".repeat(700)}"}\n`.repeat(400);
	const mapping = { status: "Lage" };
	const late = await read(`${filler}{"name":"Mia","categoryId":1,"Lage":"sold"}\n`, { mapping }, 4096);
	assert.deepEqual([late.pets.length, late.pets.at(-1)?.status], [401, "sold"]);
	const never = read(filler, { mapping }, 4096);
	await assert.rejects(never, { message: 'no object has a field "Lage"' });
	await assert.rejects(read("[{},{}]"), { message: "the list has no objects with fields" });
});

test("each column or field that is ignored is reported once", async () => {
	const unused: string[] = [];
	const onUnused = (name: string) => void unused.push(name);
	const late = '{"name":"Rex","categoryId":1,"a":1}\n'.repeat(201);
	await read(`${late}{"name":"Mia","categoryId":1,"b":1}\n{"a":1,"c":1}\n`, { onUnused });
	await read("name,categoryId,d,e\nRex,1,,\nMia,1,,\n", { onUnused });
	assert.equal(unused.join(""), "abcde");
});

test("a status that is null, empty or only blanks is none, unless a meaning is given for it", async () => {
	const json = ["null", '""', '" \\t"', '"\u00a0"'].map((status) => `{"name":"a","categoryId":1,"status":${status}}`);
	for (const content of [json.join("\n"), `[${json}]`, "name,categoryId,status\na,1,\na,1, \na,1,\u00a0\na,1\n"]) {
		const { pets, reasons } = await read(content);
		assert.deepEqual([pets, reasons], [Array(4).fill({ name: "a", categoryId: 1n }), []], content);
		const [sold] = (await read(content, { values: { status: new Map([["", "sold"]]) } })).pets;
		assert.equal(sold?.status, "sold");
	}
	const status = new Map([["sold", "pending"] as const, ["*", "available"] as const]);
	const given = await read("name,categoryId,status\na,1,sold\na,1,\na,1,gone\n", { values: { status } });
	const statuses = given.pets.map((pet) => pet.status);
	assert.deepEqual(statuses, ["pending", undefined, "available"], "also for a word of its own");
});

test("a file that is not text, mixes encodings or has an unclosed quote is refused with the line", async () => {
	const good = "name,categoryId\nZoë,1\n";
	const long = `name,categoryId\n${"Ann,30\n\n".repeat(10_000)}`;
	const mixed = Buffer.concat([Buffer.from(`${good}Zoë,2\n`), Buffer.from("Zo\xeb,2\n", "latin1")]);
	const files: [content: string | Uint8Array, line: number | undefined, said: RegExp][] = [
		["", undefined, /empty/],
		["\uFEFF \n\r\n", undefined, /empty/],
		[new Uint8Array(1000), undefined, /not text/],
		["name,categoryId\n\u0001\u0002,1\n", undefined, /not text/],
		[mixed, 4, /the text is not UTF-8, but other lines are/],
		[Buffer.concat([Buffer.from("ëë"), mixed, mixed]), 4, /the text is not UTF-8, but other lines are/],
		[utf16("\uFEFFname\tcategoryId\nZoë\t1\n").subarray(0, -1), 2, /some bytes from this line on are not UTF-16LE/],
		[Buffer.from([0x5b, 0xed, 0xa0, 0x80, 0xed, 0xa0, 0x80]), 1, /not UTF-8/],
		// The error names the line where the piece with the invalid bytes begins.
		[Buffer.concat([Buffer.from(long), Buffer.from([0xed, 0xa0, 0x80])]), 12_498, /not UTF-8/],
		[Buffer.from(`${good}Rë,2\nMië`).subarray(0, -1), 4, /not UTF-8, but other lines are/],
		[`${good}"Rex,2\nAnn,3\n`, 3, /a quote opens here and is not closed within 65536 characters/],
		[`${good}"${"x".repeat(200_000)}\nRex,2\n`, 3, /longer than 65536 characters: shorten it, or close a quote in it/],
		[`{"name":"Rex","categoryId":1}\n{"name":"${"x".repeat(70_000)}"}\n`, 2, /longer than 65536/],
		[`[\n{"name":"${"x".repeat(70_000)}"}]`, 2, /longer than 65536/],
		[`${good}"Rex,2\n${"Ann,3\n".repeat(20_000)}"`, 3, /a quote opens here/],
		['[{"name":"Rex","categoryId":1}\n', 2, /the closing bracket is missing/],
		['[{"name":"Rex', 1, /the file ends inside a string/],
		['[{"name":"Rex","categoryId":1},]', 1, /an element is missing before or after a comma/],
		['[{"name":"Rex","categoryId":1}]\n[]', 2, /there is text after the array/],
		['[{"name":"Rex","categoryId":1},\n{name:"Rex"}]', 2, /this is not JSON/],
		['[{"name":"Rex\n","categoryId":1}]', 1, /a string contains a line break/],
		['[{"name":"Rex","categoryId":1}}]', 1, /a closing bracket has no opening one/],
	];
	for (const [content, line, said] of files) {
		const isExpected = (error: Error) => error instanceof FileError && error.line === line && said.test(error.message);
		await assert.rejects(read(content, {}, 50_000), isExpected, `${String(content).slice(0, 50)} ${said}`);
	}
});

test("a number in a cell may have blanks around it, zeros before it and decimals that are zero, and is not guessed otherwise", async () => {
	const categoryOf = async (cell: string) => (await read(`name;categoryId\nRex;${cell}\n`)).pets[0]?.categoryId;
	const numbers = { " 2 ": 2n, "\u00a0-3\u00a0": -3n, "7.0": 7n, "007": 7n, "-04": -4n, "-0": 0n };
	assert.equal(await categoryOf("9223372036854775807,00"), 2n ** 63n - 1n);
	for (const [cell, expected] of Object.entries(numbers)) assert.equal(await categoryOf(cell), expected, cell);
	for (const cell of ["1.000", "1,5", "7.", "1 000", "1e3", "", " "])
		assert.equal(await categoryOf(cell), undefined, cell);
});

test("animals written in each format are read back unchanged", async () => {
	const pets = [
		{ id: 1n, name: '"a", =1+1 🐈', categoryId: 2n ** 63n - 1n },
		{ id: 2, name: "b", categoryId: -5, status: "sold" as const },
	];
	async function* pages() {
		yield pets;
	}
	const name = (id: bigint) => (id === -5n ? "7" : undefined);
	for (const format of ["csv", "csv-semicolon", "ndjson", "json"] as const)
		for (const categoryName of [undefined, name]) {
			const text = (await Array.fromAsync(formatPets(pages(), format, categoryName))).join("");
			const expected = pets.map(({ id: _id, ...pet }) => ({ ...pet, categoryId: BigInt(pet.categoryId) }));
			assert.deepEqual((await read(text, { onUnused: assert.fail })).pets, expected);
			const hasNames = format.startsWith("csv") && categoryName !== undefined;
			assert.equal(/categoryId[,;]category[,;]status\n.*\n.*-5[,;]7[,;]sold\n$/.test(text), hasNames, text);
		}
});

test("a preview has the columns and the first rows as they are", async () => {
	const preview = async (content: string, count: number) => {
		const { sample, ...shown } = await previewRows(sourceOf(content), await detectKind(sourceOf(content)), count);
		assert.equal(sample.length, 3);
		return shown;
	};
	assert.deepEqual(await preview('sep=;\nTier;"Art; Nr"\nRex;5;6\nAnn\nBo;7\n', 2), {
		columns: ["Tier", "Art; Nr"],
		headerRow: 2,
		above: [{ row: 1, cells: ["sep=", ""] }],
		rows: [
			{ row: 3, cells: ["Rex", "5"] },
			{ row: 4, cells: ["Ann", ""] },
		],
	});
	assert.deepEqual(await preview('[{"a":1,"b":{"c":9007199254740993}},{"d":"x"},{}]', 2), {
		columns: ["a", "b", "d"],
		headerRow: undefined,
		above: [],
		rows: [
			{ row: 1, cells: ["1", '{"c":9007199254740993}', ""] },
			{ row: 1, cells: ["", "", "x"] },
		],
	});
	assert.deepEqual((await preview("Our animals\n\nname,category\nRex,1\nAnn,2\nBo,3\n", 2)).above, [
		{ row: 1, cells: ["Our animals"] },
	]);
});
