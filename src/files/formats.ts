// The formats of files of animals. The format, encoding and delimiter of a file are found from its content and never
// from its name. Exports are CSV, NDJSON, a JSON array or a workbook, with exact numbers; an import can read all four.

import type { ExportFormat } from "../contract/console.ts";
import { type AnyPet, petFields, petJson } from "../contract/pet.ts";
import { findHeading } from "./columns.ts";
import { type CsvRecord, csvRecords } from "./csv-records.ts";
import { decodeText, detectEncoding, type Encoding, FileError, nameOfEncoding } from "./encoding.ts";
import { findWrapper, type Wrapper } from "./json-wrapper.ts";
import { recordMaxLength } from "./records.ts";

/** Opens the file at its start. A file is read several times, because only a workbook is kept in memory. */
export type Source = () => AsyncIterable<Uint8Array>;

export interface FileKind {
	/** By the first character: `[` is a JSON array, `{` NDJSON or an object around an array, anything else CSV. */
	format: "csv" | "ndjson" | "json";
	encoding: Encoding;
	/** In CSV a comma, a semicolon or a tab; otherwise empty. */
	delimiter: string;
	/** The sheet of a workbook that was converted to CSV. */
	sheet?: string;
	/** Sheets with the same heading that were converted to one table, whose first column has the sheets' names. */
	sheets?: SheetRows[];
	/** The sheets of the workbook that are not read. */
	otherSheets?: string[];
	/** Whether lines end with a carriage return alone. */
	isCrOnly?: boolean;
	/** The object around the JSON array. */
	wrapper?: Wrapper;
}

interface SheetRows {
	name: string;
	/** The number of the sheet's first row below its heading: `first` in the table, `own` in the sheet. */
	first: number;
	own: number;
}

/** The number of a row as a spreadsheet program shows it, with the sheet's name if several sheets are read. */
export function rowIn({ sheets }: FileKind, row: number): number | string {
	const found = sheets?.findLast(({ first }) => first <= row);
	return found ? `${row - found.first + found.own} of sheet ${JSON.stringify(found.name)}` : row;
}

export type Pages<Item> = AsyncIterable<Item[]> | Iterable<Item[]>;

const delimiters = { ",": "commas", ";": "semicolons", "\t": "tabs" };

/** Reads the whole file. @throws FileError if the file is empty or not text */
export async function detectKind(source: Source): Promise<FileKind> {
	const encoding = await detectEncoding(source());
	const head = await headOf(decodeText(source(), encoding));
	const first = head[0];
	if (first === undefined) throw new FileError("the file is empty: there is nothing to import");
	const isCrOnly = head.includes("\r") && !head.includes("\n");
	const kind = { encoding, delimiter: "", ...(isCrOnly && { isCrOnly }) };
	const wrapper = first === "{" ? findWrapper(head) : undefined;
	if (wrapper) return { ...kind, format: "json", wrapper };
	if (first === "[") return { ...kind, format: "json" };
	if (first === "{") return { ...kind, format: "ndjson" };
	const delimiter = await detectDelimiter(() => lineTexts(source, { ...kind, format: "csv" }));
	return { ...kind, format: "csv", delimiter };
}

/** The start of the text, without the blanks before it. */
async function headOf(texts: AsyncIterable<string>): Promise<string> {
	let head = "";
	for await (const text of texts) {
		head += head === "" ? text.trimStart() : text;
		if (head.length > recordMaxLength) break;
	}
	return head;
}

/** The decoded text, whose lines end with line feeds. */
export async function* lineTexts(source: Source, { encoding, isCrOnly }: FileKind): AsyncGenerator<string> {
	for await (const text of decodeText(source(), encoding)) yield isCrOnly ? text.replaceAll("\r", "\n") : text;
}

/** The first `count` records, or all if there are fewer. */
export async function firstRecords<Row>(batches: AsyncIterable<Row[]>, count: number): Promise<Row[]> {
	const found: Row[] = [];
	for await (const records of batches) {
		found.push(...records.slice(0, count - found.length));
		if (found.length === count) break;
	}
	return found;
}

/** The heading of a table is searched for in this many records, because titles and notes may be above it. */
export const headerWithin = 12;

/**
 * The delimiter with which a record names the columns of an animal. If no delimiter does, the one that splits the first
 * record with several cells, such as `sep=;`, into the most cells. Titles have no delimiters, so they are skipped.
 */
async function detectDelimiter(texts: () => AsyncIterable<string>): Promise<string> {
	const records: (CsvRecord & { delimiter: string })[] = [];
	for (const delimiter of Object.keys(delimiters)) {
		const found = await firstRecords(readable(csvRecords(texts(), delimiter)), headerWithin);
		records.push(...found.map((record) => ({ ...record, delimiter })));
	}
	records.sort((one, other) => one.line - other.line || other.cells.length - one.cells.length);
	const found = findHeading(records) ?? records.find(({ cells }) => cells.length > 1);
	return found?.delimiter ?? ",";
}

/** Ends before a broken line, without an error: another delimiter may fit. If none does, a later read fails. */
async function* readable<Row>(batches: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
	try {
		yield* batches;
	} catch (error) {
		if (!(error instanceof FileError)) throw error;
	}
}

/** Describes the kind, for example "CSV with semicolons, Windows-1252". */
export function describeKind({ format, encoding, delimiter, sheet, sheets }: FileKind): string {
	if (sheets) return `${sheets.length} sheets of a workbook (${sheets.map(({ name }) => name).join(", ")})`;
	if (sheet !== undefined) return `sheet ${JSON.stringify(sheet)} of a workbook`;
	const name = { csv: "CSV", ndjson: "NDJSON", json: "a JSON array" }[format];
	const separated = format === "csv" ? ` with ${Reflect.get(delimiters, delimiter)}` : "";
	return `${name}${separated}, ${nameOfEncoding(encoding)}`;
}

/**
 * Yields a file with the animals of all pages, in pieces; in a text format, each page is at least one piece. An import
 * reads the columns in any order and ignores `id`. @throws FileError if a workbook cannot hold all animals
 * @param categoryName adds a column with the names of categories to a table; an import ignores this column
 */
export async function* formatPets(
	pages: Pages<AnyPet>,
	format: ExportFormat,
	categoryName?: CategoryName,
): AsyncGenerator<string | Uint8Array> {
	if (format === "xlsx") {
		const { formatWorkbook } = await import("./workbook-writer.ts");
		return yield* formatWorkbook(tableOf(pages, categoryName));
	}
	if (format === "json") return yield* jsonArray(pages, petJson);
	if (format === "ndjson") {
		for await (const pets of pages) yield pets.map((pet) => `${petJson(pet)}\n`).join("");
		return;
	}
	const delimiter = format === "csv" ? "," : ";";
	if (delimiter === ";") yield "\uFEFF"; // Excel reads UTF-8 only after this mark.
	for await (const rows of tableOf(pages, categoryName)) yield csv(rows, delimiter);
}

type CategoryName = (id: bigint) => string | undefined;

/** The heading, then the rows of each page. */
async function* tableOf(pages: Pages<AnyPet>, categoryName?: CategoryName): AsyncGenerator<string[][]> {
	const columns = categoryName
		? petFields.flatMap((field) => (field === "categoryId" ? [field, "category" as const] : field))
		: petFields;
	const cellOf = (pet: AnyPet, column: (typeof columns)[number]) =>
		String((column === "category" ? categoryName?.(BigInt(pet.categoryId)) : pet[column]) ?? "");
	yield [columns];
	for await (const pets of pages) yield pets.map((pet) => columns.map((column) => cellOf(pet, column)));
}

/** A JSON array with one item on each line. Each page is yielded as one piece. */
export async function* jsonArray<Item>(pages: Pages<Item>, toJson: (item: Item) => string) {
	let isFirst = true;
	for await (const items of pages) {
		if (items.length === 0) continue;
		yield (isFirst ? "[\n" : ",\n") + items.map(toJson).join(",\n");
		isFirst = false;
	}
	yield isFirst ? "[]\n" : "\n]\n";
}

/** Lines of CSV (RFC 4180, with line feeds). */
export function csv(rows: readonly (readonly string[])[], delimiter = ","): string {
	return rows.map((cells) => `${cells.map((cell) => quoteCell(cell, delimiter)).join(delimiter)}\n`).join("");
}

function quoteCell(cell: string, delimiter: string): string {
	const isPlain = !/["\r\n]/.test(cell) && !cell.includes(delimiter);
	return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
}

const pieceSize = 64 * 1024;

/** Reads a blob piece by piece. For pasted text: `blobSource(new Blob([text]))`. */
export function blobSource(blob: Blob): Source {
	return async function* pieces() {
		for (let start = 0; start < blob.size; start += pieceSize)
			yield new Uint8Array(await blob.slice(start, start + pieceSize).arrayBuffer());
	};
}
