// Records → animals. Each is checked by the contract's own rule before anything is sent; one that breaks it is told apart with
// its reason. What makes the whole file doubtful refuses the file.

import { CsvError, parse } from "csv-parse/sync";
import { ApiError } from "../../contract/errors.ts";
import { int64FromDecimal } from "../../contract/int64.ts";
import { parseJson } from "../../contract/json.ts";
import { isInt64Schema, NewPet, newPetFields } from "../../contract/pet.ts";
import { checkNewPet } from "../../contract/validate.ts";
import { Refusal } from "../sentences.ts";
import { type PetRecord, recordMaxBytes } from "./pet-records.ts";

export type PetRow = Place & ({ pet: NewPet } | { pet?: undefined /** Why there is none. */; reason: string });

interface Place {
	/** Where it begins in the file, from 1. */
	line: number;
	/** Its own in the file: the line, or its place in an array, where one line may hold many. */
	number: number;
	given: Given;
}

/** A row as it stood in the file: the cells of CSV and their columns, or the text of JSON. */
type Given = string | { cells: string[]; columns: string[] };

/** Columns and fields that an export or a file of rejected lines has, and no new animal. */
export const ignored = ["id", "line", "reason"];
const wanted: readonly string[] = newPetFields;
const required: readonly string[] = NewPet.required;

type Batches = AsyncIterable<PetRecord[]>;

/** @throws Refusal for text that is not UTF-8, and for an element of an array that is not JSON */
export async function* jsonRows(batches: Batches, isArray: boolean): AsyncGenerator<PetRow> {
	let elements = 0;
	for await (const records of batches) {
		for (const record of records) {
			const { line, isTooLong } = record;
			const given = decoded(record);
			const place = { line, number: isArray ? ++elements : line, given };
			yield isTooLong ? tooLong(place) : rowOf(place, () => petOfJson(line, given, isArray));
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
		if (isArray) throw new Refusal(`line ${line}: this is not JSON: ${error.message}`);
		throw new ApiError("invalid_json", `not one JSON object: ${error.message}`);
	}
}

function unknownNames(names: string[]): ApiError {
	return new ApiError("invalid_body", `unknown ${named(names)}; known are ${wanted.join(", ")}`);
}

/** @throws Refusal for wrong columns and broken quotes */
export async function* csvRows(batches: Batches): AsyncGenerator<PetRow> {
	let columns: string[] | undefined;
	for await (const records of batches) {
		const cells = cellsOf(records);
		for (const [index, { line, isTooLong }] of records.entries()) {
			const ofLine = cells[index] ?? [];
			const given = { cells: ofLine, columns: columns ?? [] };
			if (columns === undefined) columns = checkedColumns(line, ofLine);
			else if (isTooLong) yield tooLong({ line, number: line, given: { cells: columns.map(() => ""), columns } });
			else yield rowOf({ line, number: line, given }, () => petOfCells(given));
		}
	}
}

function petOfCells({ cells, columns }: { cells: string[]; columns: string[] }): unknown {
	if (cells.length !== columns.length) {
		const hint = "put quotes around text that has a comma in it";
		throw new ApiError("invalid_body", `${cells.length} columns instead of ${columns.length}: ${hint}`);
	}
	const entries = newPetFields.map((field) => [field, valueIn(field, cells[columns.indexOf(field)] ?? "")]);
	return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** An empty cell of an optional field means that it is absent. */
function valueIn(field: keyof NewPet, cell: string): string | bigint | undefined {
	if (cell === "" && !required.includes(field)) return undefined;
	return isInt64Schema(NewPet.properties[field]) ? (int64FromDecimal(cell) ?? cell) : cell;
}

function checkedColumns(line: number, given: string[]): string[] {
	const columns = given.map((column) => column.trim());
	const takes = `the first line of CSV names the columns ${wanted.join()} in any order, with commas between them`;
	const refuse = (why: string) => new Refusal(`line ${line}: ${why}; ${takes}`);
	const unknown = columns.filter((column) => ![...wanted, ...ignored].includes(column));
	if (unknown.length > 0) throw refuse(`unknown ${unknown.length > 1 ? "columns" : "column"} ${named(unknown)}`);
	if (new Set(columns).size < columns.length) throw refuse("a column is there twice");
	const missing = required.filter((column) => !columns.includes(column));
	if (missing.length > 0) throw refuse(`the column ${missing.join(" and the column ")} is missing`);
	return columns;
}

function rowOf(place: Place, read: () => unknown): PetRow {
	try {
		return { ...place, pet: checkNewPet(read()) };
	} catch (error) {
		if (error instanceof ApiError) return { ...place, reason: error.message };
		throw error;
	}
}

function tooLong(place: Place): PetRow {
	return { ...place, reason: `longer than ${recordMaxBytes / 1024} KiB` };
}

/** One array of cells for each record; all at once, since the parser takes long to start. */
function cellsOf(records: PetRecord[]): string[][] {
	try {
		return parseCsv(records.map((record) => (record.isTooLong ? '""' : decoded(record))).join("\n"));
	} catch (error) {
		if (!(error instanceof CsvError)) throw error;
		for (const record of records) refuseBrokenQuotes(record);
		throw error;
	}
}

function refuseBrokenQuotes(record: PetRecord): void {
	try {
		parseCsv(decoded(record));
	} catch (error) {
		if (!(error instanceof CsvError)) throw error;
		throw new Refusal(
			`line ${record.line}: the quotes are broken: a field with quotes or commas in it stands in quotes, with each quote inside doubled`,
		);
	}
}

function parseCsv(text: string): string[][] {
	return parse(text, { relax_column_count: true, record_delimiter: "\n" });
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decoded({ line, bytes }: PetRecord): string {
	try {
		return utf8.decode(bytes);
	} catch {
		throw new Refusal(`line ${line}: the text is not UTF-8: save the file as UTF-8`);
	}
}

function named(names: string[]): string {
	const shown = names.slice(0, 5).map((name) => JSON.stringify(name.slice(0, 40)));
	return shown.join(", ") + (names.length > 5 ? ` and ${names.length - 5} more` : "");
}
