// Parses records to animals and checks each by the contract's rules before anything is sent. A row that breaks a rule
// gets a reason. A broken file, such as one with wrong columns, is refused as a whole.

import { CsvError, parse } from "csv-parse/sync";
import { ApiError } from "../../contract/errors.ts";
import { int64FromDecimal } from "../../contract/int64.ts";
import { parseJson } from "../../contract/json.ts";
import { isInt64Schema, NewPet, newPetFields } from "../../contract/pet.ts";
import { checkNewPet } from "../../contract/validate.ts";
import { CommandError } from "../command-error.ts";
import { type PetRecord, recordMaxBytes } from "./pet-records.ts";

export type FileRow = Place & ({ pet: NewPet } | { pet?: undefined /** The rule it broke. */; reason: string });

interface Place {
	/** The line of its first byte, from 1. */
	line: number;
	/** Unique in the file: the line, or the position in a JSON array, where one line may hold many rows. */
	number: number;
	given: Given;
}

/** A row as the file has it: CSV cells with their columns, or JSON text. */
type Given = string | { cells: string[]; columns: string[] };

/** Columns and fields of exports and files of rejected lines that a new animal does not have. */
export const ignored = ["id", "line", "reason"];
const wanted: readonly string[] = newPetFields;
const required: readonly string[] = NewPet.required;

type Batches = AsyncIterable<PetRecord[]>;

/** @throws CommandError for text that is not UTF-8, and for an element of an array that is not JSON */
export async function* jsonRows(batches: Batches, isArray: boolean): AsyncGenerator<FileRow> {
	let elements = 0;
	for await (const records of batches) {
		for (const record of records) {
			const { line, isTooLong } = record;
			const given = decode(record);
			const place = { line, number: isArray ? ++elements : line, given };
			yield isTooLong ? longRow(place) : rowOf(place, () => petOfJson(line, given, isArray));
		}
	}
}

function petOfJson(line: number, text: string, isArray: boolean): unknown {
	try {
		const value = parseJson(text);
		const unknown = Object.keys(Object(value)).filter((name) => ![...wanted, ...ignored].includes(name));
		if (unknown.length > 0 && !Array.isArray(value) && typeof value === "object") throw unknownNames(unknown);
		return value;
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		if (isArray) throw new CommandError(`line ${line}: this is not JSON: ${error.message}`);
		throw new ApiError("invalid_json", `not one JSON object: ${error.message}`);
	}
}

function unknownNames(names: string[]): ApiError {
	return new ApiError("invalid_body", `unknown ${quoteNames(names)}; known fields are ${wanted.join(", ")}`);
}

/** @throws CommandError for wrong columns and broken quotes */
export async function* csvRows(batches: Batches): AsyncGenerator<FileRow> {
	let columns: string[] | undefined;
	for await (const records of batches) {
		const cells = cellsOf(records);
		for (const [index, { line, isTooLong }] of records.entries()) {
			const ofLine = cells[index] ?? [];
			const given = { cells: ofLine, columns: columns ?? [] };
			if (columns === undefined) columns = checkColumns(line, ofLine);
			else if (isTooLong) yield longRow({ line, number: line, given: { cells: columns.map(() => ""), columns } });
			else yield rowOf({ line, number: line, given }, () => petOfCells(given));
		}
	}
}

function petOfCells({ cells, columns }: { cells: string[]; columns: string[] }): unknown {
	if (cells.length !== columns.length) {
		const hint = "put quotes around text that contains a comma";
		throw new ApiError("invalid_body", `${cells.length} columns instead of ${columns.length}: ${hint}`);
	}
	const entries = newPetFields.map((field) => [field, valueIn(field, cells[columns.indexOf(field)] ?? "")]);
	return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** An empty cell of an optional field means that the field is absent. */
function valueIn(field: keyof NewPet, cell: string): string | bigint | undefined {
	if (cell === "" && !required.includes(field)) return undefined;
	return isInt64Schema(NewPet.properties[field]) ? (int64FromDecimal(cell) ?? cell) : cell;
}

function checkColumns(line: number, given: string[]): string[] {
	const columns = given.map((column) => column.trim());
	const rule = `the first line of CSV must name the columns ${wanted.join()} in any order, separated by commas`;
	const refuse = (why: string) => new CommandError(`line ${line}: ${why}; ${rule}`);
	const unknown = columns.filter((column) => ![...wanted, ...ignored].includes(column));
	if (unknown.length > 0) throw refuse(`unknown ${unknown.length > 1 ? "columns" : "column"} ${quoteNames(unknown)}`);
	if (new Set(columns).size < columns.length) throw refuse("a column appears twice");
	const missing = required.filter((column) => !columns.includes(column));
	if (missing.length > 0) throw refuse(`the column ${missing.join(" and the column ")} is missing`);
	return columns;
}

function rowOf(place: Place, read: () => unknown): FileRow {
	try {
		return { ...place, pet: checkNewPet(read()) };
	} catch (error) {
		if (error instanceof ApiError) return { ...place, reason: error.message };
		throw error;
	}
}

function longRow(place: Place): FileRow {
	return { ...place, reason: `longer than ${recordMaxBytes / 1024} KiB` };
}

/** One array of cells for each record. All records are parsed at once, because starting the parser is slow. */
function cellsOf(records: PetRecord[]): string[][] {
	try {
		return parseCsv(records.map((record) => (record.isTooLong ? '""' : decode(record))).join("\n"));
	} catch (error) {
		if (!(error instanceof CsvError)) throw error;
		for (const record of records) refuseBrokenQuotes(record);
		throw error;
	}
}

function refuseBrokenQuotes(record: PetRecord): void {
	try {
		parseCsv(decode(record));
	} catch (error) {
		if (!(error instanceof CsvError)) throw error;
		const fix = "put a field with quotes or commas in quotes, and double each quote inside it";
		throw new CommandError(`line ${record.line}: the quotes are broken: ${fix}`);
	}
}

function parseCsv(text: string): string[][] {
	return parse(text, { relax_column_count: true, record_delimiter: "\n" });
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode({ line, bytes }: PetRecord): string {
	try {
		return utf8.decode(bytes);
	} catch {
		throw new CommandError(`line ${line}: the text is not UTF-8: save the file as UTF-8`);
	}
}

function quoteNames(names: string[]): string {
	const quoted = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 40)));
	return quoted.join(", ") + (names.length > 5 ? ` and ${names.length - 5} more` : "");
}
