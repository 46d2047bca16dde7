// Quotes in CSV as spreadsheets and people write them, and records that are too long.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type CsvRecord, csvRecords } from "./csv-records.ts";
import { FileError } from "./encoding.ts";

/** Reads records until one is broken. @returns the records before it, and the line of the error */
async function read(text: string, { delimiter = ",", pieceSize = 65_536 } = {}) {
	const records: CsvRecord[] = [];
	async function* pieces() {
		for (let at = 0; at < text.length; at += pieceSize) yield text.slice(at, at + pieceSize);
	}
	try {
		for await (const found of csvRecords(pieces(), delimiter)) records.push(...found);
	} catch (error) {
		assert.ok(error instanceof FileError);
		return { records, refused: error.line };
	}
	return { records, refused: undefined };
}

test("a quote opens a quoted cell only at the cell's start, and is text anywhere else", async () => {
	const lines: [line: string, cells: string[]][] = [
		['"a","b ""c""",""', ["a", 'b "c"', ""]],
		['"a,b",c', ["a,b", "c"]],
		['Rex "the King",1', ['Rex "the King"', "1"]],
		['12",6"', ['12"', '6"']],
		['a"b,c""d,"d"', ['a"b', 'c""d', "d"]],
		['"Rex" the King,1', ['"Rex" the King', "1"]],
		['"Rex"x,"Ann"', ['"Rex"x', "Ann"]],
		['"a, "b" c,d', ['"a', ' "b" c', "d"]],
		['"a,"b" c,d', ['"a', '"b" c', "d"]],
		['"big,12" wide,sold', ['"big', '12" wide', "sold"]],
		[' "a",b', [' "a"', "b"]],
		['"a", "b, c",  "d"', ["a", "b, c", "d"]],
		['a, "b" c', ["a", ' "b" c']],
		['""a,b', ['""a', "b"]],
		['"""a""",b', ['"a"', "b"]],
		['"a"\r,b', ['"a"\r', "b"]],
	];
	for (const [line, cells] of lines) {
		for (const delimiter of [",", "\t"]) {
			for (const pieceSize of [1, 5, 65_536]) {
				const own = (text: string) => text.replaceAll(",", delimiter);
				const text = own(`x,y\n${line}\r\nlast,"row"`);
				const { records, refused } = await read(text, { delimiter, pieceSize });
				assert.equal(refused, undefined, text);
				const found = records.map(({ cells }) => cells);
				assert.deepEqual(found, [["x", "y"], cells.map(own), ["last", "row"]], text);
			}
		}
	}
});

test("each record has its line and its row in a spreadsheet, even around cells with several lines", async () => {
	const text = 'a,"b\t\r\nc"\r\n\r\n"d\n\n""e",f\n"g\nh" i,j\n"k,l\nm"n\no';
	const expected: [line: number, row: number, cells: string[]][] = [
		[1, 1, ["a", "b\t\nc"]],
		[4, 3, ['d\n\n"e', "f"]],
		// No quote closes the cells below, so each line is a record.
		[7, 4, ['"g']],
		[8, 5, ['h" i', "j"]],
		[9, 6, ['"k', "l"]],
		[10, 7, ['m"n']],
		[11, 8, ["o"]],
	];
	for (const pieceSize of [1, 2, 3, 7, 65_536]) {
		const { records } = await read(text, { pieceSize });
		const found = records.map(({ line, row, cells }) => [line, row, cells]);
		assert.deepEqual(found, expected, `${pieceSize}`);
	}
});

const pieceSizes = [1000, 65_536, 1_000_000];
const long = "x".repeat(70_000);

test("an opening quote that nothing closes refuses the file with its line, after the rows before it", async () => {
	const ends = ["", "\n", `${"y,z\n".repeat(100)}`, `${"y,z\n".repeat(50_000)}`, `${"y,z\n".repeat(50_000)}"`, long];
	for (const open of ['"Rex,1\n', 'Rex,"1\n', 'Rex,"1""\n']) {
		for (const end of ends) {
			for (const pieceSize of pieceSizes) {
				const { records, refused } = await read(`a,b\n"c\nd",e\n${open}${end}`, { pieceSize });
				assert.deepEqual([records.length, refused], [2, 4], `${open} ${end.length} ${pieceSize}`);
			}
		}
	}
});

test("a record that is too long refuses the file with its line, whatever quotes it has", async () => {
	const rows = [
		`${long},12" wide`,
		`"${long}",a`,
		`"${long}""b",a`,
		`"a",${long},"b"`,
		`a,"b\nc",${long}`,
		`"a" b,${long}"`,
		`"${long}" c`,
	];
	for (const row of rows) {
		for (const pieceSize of pieceSizes) {
			const { records, refused } = await read(`first\n${row}\nlast\n`, { pieceSize });
			assert.deepEqual([records.length, refused], [1, 2], `${row.replace(long, "…")} ${pieceSize}`);
		}
	}
});
