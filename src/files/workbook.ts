// Converts one sheet of a workbook (.xlsx), or all sheets with the same heading, to the CSV that a spreadsheet program
// would save, so that all later code handles only CSV. Numbers keep the file's digits, so that no int64 is rounded. A
// formula is replaced by its result.

import { strFromU8, strToU8, type UnzipFileFilter, unzipSync, zipSync } from "fflate";
import readSheets from "read-excel-file/universal";
import { findColumns, findHeading, hasTexts } from "./columns.ts";
import { FileError } from "./encoding.ts";
import { csv, type FileKind, headerWithin, type Source } from "./formats.ts";
import { recordMaxLength } from "./records.ts";
import { isWord } from "./values.ts";
import { digitsOfStyles, fillDown, type Merge, mergesOf, numberOf, withZeros } from "./workbook-cells.ts";

/** A workbook is read as a whole. For a larger workbook, the reader would need minutes and gigabytes, or fail. */
const fileMaxBytes = 64 * 1024 * 1024;
const contentMaxBytes = 2 * fileMaxBytes;
const partsMax = 10_000;
/** The reader's time grows with the square of the number of sheets. */
const sheetsMax = 1000;
const rowsMax = 1_048_576;
/** The reader fills all cells up to the last row and the last column, and a small file may have a cell far away. */
const cellsMax = 10_000_000;
const tooLarge = "the workbook unpacks to more than 128 MiB: save the sheet as CSV";
const unreadable = (why: string) =>
	new FileError(`the workbook cannot be read (${why}): save it again, or save the sheet as CSV`);

/**
 * @param wanted a sheet's name; by default, the first with an animal's columns, else with texts, else of all
 * @returns `kind.sheet` is the name of the sheet that is read, `sheets` the names of all sheets
 */
export async function readWorkbook(file: Blob, wanted?: string) {
	if (file.size > fileMaxBytes) throw new FileError("the workbook has more than 64 MiB: save the sheet as CSV");
	const tables = await readTables(file).catch((error) => {
		throw error instanceof FileError ? error : unreadable(error.message);
	});
	const first = tables.flatMap((table) => table.rows.slice(0, headerWithin).map((cells) => ({ cells, table })));
	const found =
		wanted === undefined
			? ((findHeading(first) ?? first.find(hasTexts))?.table ?? tables[0])
			: tables.find(({ sheet }) => sheet === wanted);
	const names = tables.map(({ sheet }) => sheet);
	if (!found) throw new FileError(`the workbook has no sheet ${JSON.stringify(wanted)}, but ${names.join(", ")}`);
	const { sheet } = found;
	const alike = wanted === undefined ? tables.filter((table) => isAlike(table, found)) : [found];
	for (const table of alike) {
		const name = findColumns(headingOf(table)?.cells ?? []).at.name;
		fillDown(table.rows, table.merges, name, cellsMax);
	}
	const { rows, sheets } = alike.length > 1 ? joined(alike) : found;
	if (rows.length === 0) throw new FileError(`sheet ${JSON.stringify(sheet)} is empty: there is nothing to import`);
	const source: Source = async function* source() {
		for (let at = 0; at < rows.length; at += 1000) {
			const lines = rows.slice(at, at + 1000).map((cells) => csv([cells]));
			const long = lines.findIndex((line) => line.length > recordMaxLength);
			if (long !== -1)
				throw new FileError(`row ${at + long + 1} is longer than ${recordMaxLength} characters: shorten it`);
			yield new TextEncoder().encode(lines.join(""));
		}
	};
	const otherSheets = tables.flatMap((table) => (alike.includes(table) ? [] : table.sheet));
	const read = { ...(sheets ? { sheets } : { sheet }), ...(otherSheets.length > 0 && { otherSheets }) };
	const kind: FileKind = { format: "csv", encoding: "utf-8", delimiter: ",", ...read };
	return { source, kind, sheets: names };
}

interface Table {
	sheet: string;
	rows: string[][];
	merges: Merge[];
	sheets?: undefined;
}

/** The row that names the columns, and its position from 0. */
function headingOf({ rows }: Table): { cells: string[]; at: number } | undefined {
	return findHeading(rows.slice(0, headerWithin).map((cells, at) => ({ cells, at })));
}

/** Whether two sheets name the same columns. */
function isAlike(table: Table, other: Table): boolean {
	const [names, wanted] = [table, other].map((one) => headingOf(one)?.cells.join("\n").trim());
	return table === other || (wanted !== undefined && names === wanted);
}

/** One table with the rows of all sheets, under one heading. The first column has the name of each row's sheet. */
function joined(tables: readonly Table[]) {
	const sheets: NonNullable<FileKind["sheets"]> = [];
	const rows: string[][] = [];
	for (const table of tables) {
		const { at, cells: columns } = headingOf(table) ?? { at: 0, cells: [] };
		// The heading "Sheet" can mean the category. It is left out if a sheet's name, such as 2023, is no category.
		if (rows.length === 0) rows.push([tables.every(({ sheet }) => isWord(sheet)) ? "Sheet" : "", ...columns]);
		sheets.push({ name: table.sheet, first: rows.length + 1, own: at + 2 });
		for (const cells of table.rows.slice(at + 1))
			rows.push([cells.some((cell) => cell !== "") ? table.sheet : "", ...cells]);
	}
	return { rows, sheets };
}

/** The sheets with cells: charts have none. If two sheets name the same part, the reader reads only one of them. */
async function readTables(file: Blob): Promise<Table[]> {
	const { archive, merges } = unpacked(new Uint8Array(await file.arrayBuffer()));
	const sheets = await readSheets<Digits>(archive, { trim: false, parseNumber: (digits) => ({ digits }) });
	let length = 0; // Of all cells together, because many cells may share one long text.
	const textsOf = (cells: unknown[]) => {
		const texts = cells.map((cell) => textOf(cell as Digits));
		for (const text of texts) length += text.length;
		if (length > contentMaxBytes) throw new FileError(tooLarge);
		return texts;
	};
	return sheets.flatMap(({ sheet, data }) =>
		data ? { sheet, rows: data.map(textsOf), merges: merges.get(sheet) ?? [] } : [],
	);
}

/**
 * Returns the archive uncompressed. To decompress it, the reader would start workers, which the console must not do.
 * @throws FileError before anything is unpacked, because a small archive may hold gigabytes
 */
function unpacked(bytes: Uint8Array) {
	let [total, count, isWorkbook] = [0, 0, false];
	const unzip = (filter: UnzipFileFilter) => {
		try {
			return unzipSync(bytes, { filter });
		} catch {
			throw new FileError("the archive is damaged: save the workbook again");
		}
	};
	unzip(({ name, size, originalSize }) => {
		if (++count > partsMax) throw new Error("the archive has too many parts");
		isWorkbook ||= name === "xl/workbook.xml";
		total += Math.max(size, originalSize);
		return false;
	});
	if (!isWorkbook)
		throw new FileError("the file is an archive, but no workbook (.xlsx): save the table as .xlsx or CSV");
	if (total > contentMaxBytes) throw new FileError(tooLarge);
	const parts = unzip(({ name }) => /\.(xml|rels)$/.test(name));
	const size = { cells: 0 };
	const texts = Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, strFromU8(bytes)]));
	const digits = digitsOfStyles(texts["xl/styles.xml"]);
	for (const [name, xml] of Object.entries(texts)) {
		const changed = mended(name, xml, size, digits);
		if (changed !== xml) parts[name] = strToU8(changed); // Other parts keep their bytes, in any encoding.
	}
	return { archive: zipSync(parts, { level: 0 }).buffer, merges: mergesOf(texts) };
}

/** The number of cells that the reader will fill. */
type Size = { cells: number };

/**
 * Converts a part for the reader: replaces references by their characters, and gives each cell its position.
 * @throws FileError if the reader would need too much time or memory
 */
function mended(name: string, xml: string, size: Size, digits: ReadonlyMap<string, number>): string {
	const changed = xml.replace(/&#(?:x([\da-f]{5,8})|(\d{5,9}));/gi, characterOf);
	const sheets = /^xl\/(workbook\.xml|_rels\/)/.test(name) && xml.match(/<(?:[\w.-]*:)?(?:sheet|Relationship)[\s/>]/g);
	if (sheets && sheets.length > sheetsMax) throw unreadable(`more than ${sheetsMax} sheets`);
	return /<(?:[\w.-]*:)?sheetData[\s/>]/.test(xml) ? withPositions(withZeros(changed, digits), size) : changed;
}

/** Replaces references to characters beyond U+FFFF, such as `&#128008;`: the reader keeps only 16 bits of each. */
function characterOf(reference: string, hexadecimal: string | undefined, decimal: string): string {
	const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
	return code > 0xffff && code <= 0x10ffff ? String.fromCodePoint(code) : reference;
}

/**
 * Matches the start of a row or cell: its name, its attributes and the slash at its end. Attributes in an unusual form
 * are not matched, because the reader may find another position in them than the code below.
 */
const places = /<((?:[\w.-]*:)?(row|c))(?=[\s/>])(?:((?:\s+[\w:.-]+=(?:"[^"<&]*"|'[^'<&]*'))*)\s*(\/?)>)?/g;

/**
 * Adds missing positions. A row or cell without one follows the previous row or cell (ECMA-376-1, 18.3.1.4, 18.3.1.73).
 * @throws FileError if a position is wrong, or if the cells up to the last one are too many
 */
function withPositions(xml: string, size: Size): string {
	let [row, column, rows, columns, copied] = [0, 0, 0, 0, 0];
	const pieces: string[] = [];
	for (const { 0: tag, 1: name = "", 2: kind, 3: attributes, 4: end, index } of xml.matchAll(places)) {
		const given = attributes?.match(/[\s:]r=/g)?.length ?? 0;
		const [, letters = "", digits] = /[\s:]r=["']([A-Z]{0,3})([1-9]\d{0,6})["']/.exec(attributes ?? "") ?? [];
		if (attributes === undefined || given !== Number(digits !== undefined)) throw unreadable(tag.slice(0, 40));
		if (kind === "row") [row, column] = [Number(digits ?? row + 1), 0];
		else column = letters ? numberOf(letters) : column + 1;
		const at = Math.max(row, Number(digits ?? 0));
		if (kind === "c" && end === "") [rows, columns] = [Math.max(rows, at), Math.max(columns, column)];
		if (Number(digits ?? 0) > rowsMax || size.cells + rows * columns > cellsMax)
			throw new FileError(`cell ${lettersOf(column)}${at} is too far away: delete it, or save the sheet as CSV`);
		if (digits !== undefined) continue;
		const position = kind === "row" ? row : `${lettersOf(column)}${row}`;
		pieces.push(xml.slice(copied, index), tag.replace(name, `${name} r="${position}"`));
		copied = index + tag.length;
	}
	size.cells += rows * columns;
	return pieces.join("") + xml.slice(copied);
}

const lettersOf = (column: number): string =>
	column === 0 ? "" : lettersOf(Math.floor((column - 1) / 26)) + String.fromCharCode(65 + ((column - 1) % 26));

/** A number as it is written in the file. */
type Digits = { digits: string };

function textOf(cell: string | boolean | Digits | Date | null): string {
	if (cell === null) return "";
	// Spreadsheet programs save this for a number that is too large for a date, such as a chip's in a column of dates.
	if (cell instanceof Date && Number.isNaN(cell.getTime())) return "########";
	if (cell instanceof Date) return cell.toISOString().replace("T00:00:00.000Z", "");
	if (typeof cell !== "object") return String(cell);
	// Some programs write integers as 3.0 or 1E3.
	const number = Number(cell.digits);
	return Number.isSafeInteger(number) ? String(number) : cell.digits;
}
