// Parses a file of animals row by row and checks each row before anything is sent. A row that breaks a rule has faults.
// A broken file, such as one without a required column, is refused as a whole.

import { toJson, tryParseJson } from "../contract/json.ts";
import { isInt64Schema, NewPet, newPetFields } from "../contract/pet.ts";
import { checkFields, checkTexts, type Fault, integerOfText } from "../contract/validate.ts";
import { type Columns, checkColumns, findColumns, type Mapping, type Sample } from "./columns.ts";
import { FileError, quoteNames } from "./encoding.ts";
import {
	type FileKind,
	findHeader,
	firstRecords,
	lineTexts,
	placeIn,
	readable,
	type Source,
	sampleRows,
	tableRecords,
} from "./formats.ts";
import { otherRowFinder } from "./other-rows.ts";
import { jsonElements, lineRecords, type PetRecord } from "./records.ts";
import { isNoName, isNothing, type Outcome, outcomeOf, type Values } from "./values.ts";

export type FileRow = Place & Outcome;
interface Place {
	/** The line of the row's first character, from 1. */
	line: number;
	/** The row number in a spreadsheet; in JSON, the line. */
	row: number;
	/** The sheet in which the row has this number, if several sheets are read as one table. */
	sheet?: string;
	/** Unique in the file: the line, or the position in a JSON array, where one line may hold many rows. */
	number: number;
	given: Given;
}

/** The number of a row, with its sheet if there are several. */
export function rowIn({ row, sheet }: { row: number; sheet?: string | undefined }): string {
	return sheet === undefined ? String(row) : `${row} of sheet ${JSON.stringify(sheet)}`;
}

/** A row as the file has it: cells of CSV with their columns, or JSON text. */
type Given = string | (Pick<Columns, "at"> & { cells: string[]; columns: string[] });

export type Texts = Partial<Record<keyof NewPet, string>>;

export interface Fallback {
	/** The category of animals that have none. */
	categoryId?: string | undefined;
	/** The position of the column that stands in for a name; null leaves out the rows without a name. Tables only. */
	name?: number | null | undefined;
}

/** A row that is no animal, with its first text. */
export interface OtherRow extends Pick<Place, "row" | "sheet"> {
	text: string;
}

export interface ReadOptions {
	/** The columns of fields; any other field is found by its name. Positions are for CSV only. */
	mapping?: Mapping | undefined;
	/** The row of a table that names the columns, as a spreadsheet counts; 0 if none does; by default, it is found. */
	headerRow?: number | undefined;
	/** The meanings of other texts in the status and category fields. */
	values?: Values | undefined;
	/** What stands in for a missing value. */
	fallback?: Fallback | undefined;
	/** Called for each name whose line breaks were replaced by blanks; if absent, such a row is rejected. */
	onJoined?: (() => void) | undefined;
	/** The texts that a person entered to replace fields of a row, by the row's `number`. */
	corrections?: ReadonlyMap<number, Texts>;
	/** Called once for each column or field that is ignored. */
	onUnused?: (name: string) => void;
	/** Called for each row of a table without a name of its own. */
	onNameless?: () => void;
	/** Called for each row of a table that is no animal, such as a sum. */
	onOther?: (row: OtherRow) => void;
	/** Called if a column is the category because the others are finer. */
	onFiner?: (category: string, finer: readonly string[]) => void;
}

/**
 * All rows in the order of the file, in one batch for each piece of the file. Uses constant memory.
 * @throws FileError for a broken file, after the rows before the broken line
 */
export async function* readRows(source: Source, kind: FileKind, options: ReadOptions = {}): AsyncGenerator<FileRow[]> {
	const reading = { ...options, reportUnused: unusedReporter(options) };
	const { corrections } = options;
	const batches = kind.format === "csv" ? csvRows(source, kind, reading) : jsonRows(source, kind, reading);
	for await (const rows of batches)
		yield corrections ? rows.map((row) => correctedRow(row, corrections.get(row.number) ?? {}, options)) : rows;
}

function jsonRecords(source: Source, kind: FileKind): AsyncGenerator<PetRecord[]> {
	const texts = lineTexts(source, kind);
	return kind.format === "json" ? jsonElements(texts, kind.wrapper) : lineRecords(texts);
}

/** The row with its own fields replaced by these texts. In CSV, the fields must have columns. */
export function correctedRow(row: FileRow, texts: Texts, { mapping, values, fallback }: ReadOptions): FileRow {
	const fields = newPetFields.filter((field) => texts[field] !== undefined);
	if (fields.length === 0) return row;
	const { line, number, given, sheet } = row;
	const place = { line, row: row.row, number, ...(sheet !== undefined && { sheet }) };
	if (typeof given === "string") {
		const entries = fields.map((field) => [field, jsonValueOf(field, texts[field])]);
		const own = fieldsOf(given, mapping);
		const corrected = completed({ ...own, ...Object.fromEntries(entries) }, { fallback }, jsonCategoryOf);
		return { ...place, given, ...outcomeOf(checkFields, corrected, values) };
	}
	const { columns, at } = given;
	const cells = padded(given.cells, columns);
	for (const field of fields) cells[at[field]] = texts[field] ?? "";
	return { ...place, given: { cells, columns, at }, ...petOfCells(cells, columns, given, { values, fallback }) };
}

/** A text that a person entered, as a JSON value; undefined if the text is empty. */
function jsonValueOf(field: keyof NewPet, text = ""): unknown {
	const integer = isInt64Schema(NewPet.properties[field]) ? integerOfText(text) : undefined;
	return integer ?? (text || undefined);
}

const jsonCategoryOf = (text: string) => jsonValueOf("categoryId", text);

/** The names of the columns that hold the fields, or of the fields in a JSON object. */
export function columnsOf(given: Given, mapping?: Mapping): Texts {
	const names = typeof given === "string" ? Object.keys(objectOf(given)) : given.columns;
	return byField(names, typeof given === "string" ? findColumns(names, mapping) : given);
}

/** The fields of an animal in a row, as texts. */
export function textsOf(given: Given, mapping?: Mapping): Texts {
	const own = fieldsOf(given, mapping);
	return Object.fromEntries(Object.entries(own).map(([field, value]) => [field, textOf(value)]));
}

/** An animal in a few words: its name, and in brackets its category and status as the file has them. */
export function exampleOf({ given }: FileRow, { mapping, fallback = {} }: ReadOptions): string {
	const { name, categoryId = "", status = "" } = textsOf(given, mapping);
	const isReplaced = typeof given !== "string" && typeof fallback.name === "number" && isNoName(name);
	const category = isBlank(categoryId) ? (fallback.categoryId ?? "") : categoryId;
	const short = (text = "") => text.trim().replace(/\s+/g, " ").slice(0, 40);
	const others = [category, status].filter((text) => !isBlank(text)).map(short);
	return `${short(isReplaced ? given.cells[fallback.name as number] : name)} (${others.join(", ")})`;
}

export interface Preview {
	/** The names of the columns, or of the fields in the first rows. */
	columns: string[];
	headerRow: number | undefined;
	/** The CSV rows above the header row, such as titles. */
	above: PreviewRow[];
	/** The first rows as text; missing cells are empty. */
	rows: PreviewRow[];
	/** More rows, to recognise what the columns hold. */
	sample: Sample;
}

interface PreviewRow {
	row: number;
	cells: string[];
}

/** The first rows as they are in the file, to choose a mapping. @throws FileError */
export async function previewRows(
	source: Source,
	kind: FileKind,
	count: number,
	options: ReadOptions = {},
): Promise<Preview> {
	if (kind.format !== "csv") {
		const records = await firstRecords(jsonRecords(source, kind), count);
		const objects = records.map(({ row, text }) => ({ row, object: objectOf(text) }));
		const more = await firstObjects(source, kind);
		const columns = [...new Set(more.flatMap((object) => Object.keys(object)))];
		const rows = objects.map(({ row, object }) => ({ row, cells: cellsOf(object, columns) }));
		const sample = more.map((object) => cellsOf(object, columns));
		return { columns, headerRow: undefined, above: [], rows, sample };
	}
	const { row: headerRow, columns, sample } = await findHeader(source, kind, options);
	const records = await firstRecords(tableRecords(source, kind), headerRow + count);
	const rows = records.map(({ row, cells }) => ({ row, cells }));
	const found = findColumns(columns, options.mapping, sample);
	const below = rows.filter(({ row, cells }) => row > headerRow && !isEmpty(cells, found)).slice(0, count);
	return {
		columns,
		headerRow,
		above: rows.filter(({ row }) => row < headerRow),
		rows: below.map(({ row, cells }) => ({ row, cells: padded(cells, columns) })),
		sample,
	};
}

/** The first objects of the file, up to one that cannot be read. */
async function firstObjects(source: Source, kind: FileKind): Promise<Record<string, unknown>[]> {
	const records = await firstRecords(readable(jsonRecords(source, kind)), sampleRows);
	return records.map(({ text }) => objectOf(text));
}

const cellsOf = (object: Record<string, unknown>, names: readonly string[]) =>
	names.map((name) => textOf(object[name]));

function objectOf(text: string): Record<string, unknown> {
	return Object(tryParseJson(text).value);
}

function textOf(value: unknown): string {
	if (value === undefined || value === null) return "";
	return typeof value === "object" ? toJson(value) : String(value);
}

type ReportUnused = (names: readonly string[]) => void;
type Reading = ReadOptions & { reportUnused: ReportUnused };

function unusedReporter({ onUnused = () => {} }: ReadOptions): ReportUnused {
	const reported = new Set<string>();
	return (names) => {
		for (const name of names) {
			if (reported.has(name) || reported.size === 100) continue;
			reported.add(name);
			onUnused(name);
		}
	};
}

function reportFiner(columns: readonly string[], { at, finer }: Columns, { onFiner }: ReadOptions): void {
	const nameOf = (index: number) => columns[index] ?? "";
	if (finer.length > 0) onFiner?.(nameOf(at.categoryId), finer.map(nameOf));
}

async function* csvRows(source: Source, kind: FileKind, reading: Reading): AsyncGenerator<FileRow[]> {
	const header = await findHeader(source, kind, reading);
	const { columns } = header;
	const { fallback = {}, onNameless } = reading;
	const found = checkColumns(header, reading.mapping, (field) => fallback[field as keyof Fallback] !== undefined);
	reading.reportUnused(found.unused);
	reportFiner(columns, found, reading);
	const isOther = otherRowFinder(columns, found, header.sample);
	for await (const records of tableRecords(source, kind)) {
		const rows: FileRow[] = [];
		for (const { line, row, cells } of records) {
			if (row <= header.row || isEmpty(cells, found)) continue;
			const place = placeIn(kind, row);
			const own = kind.sheets ? ["", ...cells.slice(1)] : cells; // The first cell is the sheet's name.
			if (isOther(own)) {
				reading.onOther?.({ ...place, text: own.find((cell) => /\S/.test(cell)) ?? "" });
				continue;
			}
			const isNameless = isNoName(cells[found.at.name]);
			if (isNameless) onNameless?.();
			if (isNameless && fallback.name === null) continue;
			const given = { cells, columns, at: found.at };
			rows.push({ line, ...place, number: line, given, ...petOfCells(cells, columns, found, reading) });
		}
		yield rows;
	}
}

/**
 * Spreadsheets write cleared rows as empty cells, and unchecked boxes as "false" in their language. In the column of an
 * animal's field, "false" is a value.
 */
function isEmpty(cells: string[], { at }: Columns): boolean {
	const isUnchecked = (cell: string, index: number) =>
		/^(false|falsch|faux|falso)$/i.test(cell) && !Object.values(at).includes(index);
	return cells.every((cell, index) => cell === "" || isUnchecked(cell, index));
}

/** Spreadsheets leave out or add empty cells at the end of a row. */
function petOfCells(cells: string[], columns: string[], found: Pick<Columns, "at">, options: ReadOptions): Outcome {
	if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== ""))
		return { faults: [{ field: undefined, problem: "more cells than columns: put text with a delimiter in quotes" }] };
	const { name } = options.fallback ?? {};
	const fields = byField(padded(cells, columns), found);
	if (typeof name === "number" && isNoName(fields.name)) fields.name = cells[name] ?? "";
	return outcomeOf(checkTexts, completed(fields, options), options.values);
}

const isBlank = (value: unknown) => (typeof value === "string" ? !/\S/.test(value) || isNothing(value) : value == null);

const lineBreaks = /\s*[\n\r]\s*/g;

/** The fields with what the options replace: a missing category, and line breaks in a name. */
function completed<Fields extends { name?: unknown; categoryId?: unknown }>(
	fields: Fields,
	{ fallback: { categoryId } = {}, onJoined }: ReadOptions,
	categoryOf: (text: string) => unknown = (text) => text,
): Fields {
	let complete = fields;
	const { name } = fields;
	if (onJoined && typeof name === "string" && /[\n\r]/.test(name) && !isBlank(name)) {
		onJoined();
		complete = { ...complete, name: name.trim().replace(lineBreaks, " ") };
	}
	if (categoryId !== undefined && isBlank(fields.categoryId))
		complete = { ...complete, categoryId: categoryOf(categoryId) };
	return complete;
}

const padded = (cells: string[], columns: string[]) => columns.map((_, at) => cells[at] ?? "");

function byField<Value>(values: readonly Value[], { at }: Pick<Columns, "at">): Partial<Record<keyof NewPet, Value>> {
	const fields: Partial<Record<keyof NewPet, Value>> = {};
	for (const field of newPetFields) {
		const value = values[at[field]];
		if (value !== undefined) fields[field] = value;
	}
	return fields;
}

/** The fields of an animal in a row, as they are in the file. */
function fieldsOf(given: Given, mapping?: Mapping): Partial<Record<keyof NewPet, unknown>> {
	if (typeof given !== "string") return byField(padded(given.cells, given.columns), given);
	const object = objectOf(given);
	return byField(Object.values(object), findColumns(Object.keys(object), mapping));
}

async function* jsonRows(source: Source, kind: FileKind, reading: Reading): AsyncGenerator<FileRow[]> {
	const isArray = kind.format === "json";
	const columnsOf = columnFinder(reading.mapping, await firstObjects(source, kind));
	let elements = 0;
	let isFinerTold = false;
	for await (const records of jsonRecords(source, kind)) {
		yield records.map(({ line, row, text }) => {
			const number = isArray ? ++elements : line;
			return { line, row, number, given: text, ...petOfJson(text, line) };
		});
	}
	function petOfJson(text: string, line: number): Outcome {
		const { value, error } = tryParseJson(text);
		if (error !== undefined && isArray) throw new FileError(`this is not JSON: ${error}`, line);
		if (error !== undefined) return { faults: [{ field: undefined, problem: "not one JSON object", detail: error }] };
		if (typeof value !== "object" || value === null || Array.isArray(value))
			return { faults: [{ field: undefined, problem: "not a JSON object" }] };
		const names = Object.keys(value);
		const found = columnsOf(names);
		const { fits, unused, ambiguous } = found;
		reading.reportUnused(unused);
		if (!isFinerTold) reportFiner(names, found, reading);
		isFinerTold ||= found.finer.length > 0;
		if (ambiguous.length > 0) return { faults: ambiguous.map((field) => severalFault(field, fits[field], names)) };
		const fields = completed(byField(Object.values(value), found), reading, jsonCategoryOf);
		return outcomeOf(checkFields, fields, reading.values);
	}
}

function severalFault(field: keyof NewPet, fits: readonly number[], names: readonly string[]): Fault {
	return { field, problem: `is given several times: ${quoteNames(fits.map((at) => names[at] ?? ""))}` };
}

/** Keeps the last result, because most objects of a file have the same fields. */
function columnFinder(mapping: Mapping | undefined, first: Record<string, unknown>[]): (names: string[]) => Columns {
	let last: { names: string[]; columns: Columns } | undefined;
	return (names) => {
		if (last === undefined || last.names.length !== names.length || last.names.some((name, n) => name !== names[n])) {
			const sample = first.map((object) => cellsOf(object, names));
			last = { names, columns: findColumns(names, mapping, sample) };
		}
		return last.columns;
	};
}
