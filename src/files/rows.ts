// Parses a file of animals row by row and checks each row before anything is sent. A row that breaks a rule has faults.
// A broken file, such as one without a required column, is refused as a whole.

import { toJson, tryParseJson } from "../contract/json.ts";
import { isInt64Schema, NewPet, newPetFields } from "../contract/pet.ts";
import { checkFields, checkTexts, type Fault, integerOfText } from "../contract/validate.ts";
import { type Columns, checkColumns, findColumns, isOwnExport, type Mapping, type Sample } from "./columns.ts";
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
	/** The row as the file has it, if a person has corrected it. */
	original?: Given;
}

/** The number of a row, with its sheet if there are several. */
export function rowIn({ row, sheet }: { row: number; sheet?: string | undefined }): string {
	return sheet === undefined ? String(row) : `${row} of sheet ${JSON.stringify(sheet)}`;
}

/** A row as the file has it: cells of a table with their columns, or JSON text. */
type Given = Cells | { text: string; names: Texts };
interface Cells extends Pick<Columns, "at"> {
	cells: string[];
	columns: string[];
	/** The table is an export: "None" and "?" are names. */
	isOwn: boolean;
}

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
	/** Called with the number of each row of a table without a name of its own. */
	onNameless?: (number: number) => void;
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

/** The row with its own fields replaced by these texts. In a table, the fields must have columns. */
export function correctedRow(row: FileRow, texts: Texts, { values, fallback }: ReadOptions): FileRow {
	const fields = newPetFields.filter((field) => texts[field] !== undefined);
	if (fields.length === 0) return row;
	const { line, number, given, sheet } = row;
	const place = { line, row: row.row, number, ...(sheet !== undefined && { sheet }) };
	if ("text" in given) {
		const entries = fields.map((field) => [field, jsonValueOf(field, texts[field])]);
		const corrected = { ...fieldsOf(given), ...Object.fromEntries(entries) };
		return { ...place, given, ...petOfFields(corrected, { values, fallback }) };
	}
	const cells = padded(given.cells, given.columns);
	for (const field of fields) cells[given.at[field]] = texts[field] ?? "";
	const now = { ...given, cells };
	return { ...place, given: now, original: given, ...petOfCells(now, { values, fallback }) };
}

/** A text that a person entered, as a JSON value; undefined if the text is empty. */
function jsonValueOf(field: keyof NewPet, text = ""): unknown {
	const integer = isInt64Schema(NewPet.properties[field]) ? integerOfText(text) : undefined;
	return integer ?? (text || undefined);
}

/** The names of the columns that hold the fields, or of the fields in a JSON object. */
export function columnsOf(given: Given): Texts {
	return "text" in given ? given.names : byField(given.columns, given);
}

/** The fields of an animal in a row, as texts. */
export function textsOf(given: Given): Texts {
	return Object.fromEntries(Object.entries(fieldsOf(given)).map(([field, value]) => [field, textOf(value)]));
}

/** An animal in a few words: its name, and in brackets its category and status as the file has them. */
export function exampleOf({ given }: FileRow, options: ReadOptions): string {
	const fields = "text" in given ? completed(fieldsOf(given), options) : completedCells(given, options);
	const short = (value: unknown) => textOf(value).trim().replace(/\s+/g, " ").slice(0, 40);
	const others = [fields.categoryId, fields.status].filter((value) => !isBlank(value)).map(short);
	return `${short(fields.name)} (${others.join(", ")})`;
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
	const isOther = otherRowFinder(kind.sheets ? ["", ...columns.slice(1)] : columns, found, header.sample);
	const table = { columns, at: found.at, isOwn: isOwnExport(columns) };
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
			const isNameless = (onNameless || fallback.name === null) && !table.isOwn && isNoName(cells[found.at.name]);
			if (isNameless) onNameless?.(line);
			if (isNameless && fallback.name === null) continue;
			const given = { ...table, cells };
			rows.push({ line, ...place, number: line, given, ...petOfCells(given, reading) });
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
function petOfCells(given: Cells, options: ReadOptions): Outcome {
	const { cells, columns, isOwn } = given;
	if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== ""))
		return { faults: [{ field: undefined, problem: "more cells than columns: put text with a delimiter in quotes" }] };
	return outcomeOf(checkTexts, completedCells(given, options), options.values, isOwn);
}

function completedCells({ cells, at, isOwn }: Cells, options: ReadOptions): Texts {
	const { name } = options.fallback ?? {};
	const fields: Texts = {};
	for (const field of newPetFields) if (at[field] !== -1) fields[field] = cells[at[field]] ?? "";
	if (typeof name === "number" && !isOwn && isNoName(fields.name)) fields.name = cells[name] ?? "";
	return completed(fields, options);
}

/** Checks the fields of a JSON object, which has null where there is no value: any text is a name. */
function petOfFields(fields: Fields, options: ReadOptions): Outcome {
	const { categoryId, ...others } = completed(fields, options);
	const isFallback = categoryId !== fields.categoryId && typeof categoryId === "string";
	const category = isFallback ? jsonValueOf("categoryId", categoryId) : categoryId;
	return outcomeOf(
		checkFields,
		{ ...others, ...(category !== undefined && { categoryId: category }) },
		options.values,
		true,
	);
}

const isBlank = (value: unknown) => (typeof value === "string" ? !/\S/.test(value) || isNothing(value) : value == null);

type Fields = Partial<Record<keyof NewPet, unknown>>;

/** The fields with what the options replace: a missing category, and line breaks in a name. */
function completed<Own extends Fields>(fields: Own, { fallback: { categoryId } = {}, onJoined }: ReadOptions): Own {
	let complete = fields;
	const { name } = fields;
	if (onJoined && typeof name === "string" && /[\n\r]/.test(name) && !isBlank(name)) {
		onJoined();
		const lines = name.split(/[\n\r]/).map((line) => line.trim());
		complete = { ...complete, name: lines.filter((line) => line !== "").join(" ") };
	}
	if (categoryId !== undefined && isBlank(fields.categoryId)) complete = { ...complete, categoryId };
	return complete;
}

const padded = (cells: string[], columns: string[]) => columns.map((_, at) => cells[at] ?? "");

function byField<Value>(values: readonly Value[], { at }: Pick<Columns, "at">): Partial<Record<keyof NewPet, Value>> {
	const entries = newPetFields.flatMap((field) => (at[field] === -1 ? [] : [[field, values[at[field]]] as const]));
	return Object.fromEntries(entries) as Partial<Record<keyof NewPet, Value>>;
}

/** The fields of an animal in a row, as they are in the file. */
function fieldsOf(given: Given): Fields {
	if ("cells" in given) return byField(padded(given.cells, given.columns), given);
	return pick(objectOf(given.text), given.names);
}

const pick = (object: Record<string, unknown>, names: Texts): Fields =>
	Object.fromEntries(Object.entries(names).map(([field, name]) => [field, object[name]]));

async function* jsonRows(source: Source, kind: FileKind, reading: Reading): AsyncGenerator<FileRow[]> {
	const isArray = kind.format === "json";
	const namesIn = nameFinder(reading, await firstObjects(source, kind));
	let elements = 0;
	for await (const records of jsonRecords(source, kind)) {
		yield records.map(({ line, row, text }) => {
			const number = isArray ? ++elements : line;
			const { names = {}, ...outcome } = petOfJson(text, line);
			return { line, row, number, given: { text, names }, ...outcome };
		});
	}
	function petOfJson(text: string, line: number): Outcome & { names?: Texts } {
		const { value, error } = tryParseJson(text);
		if (error !== undefined && isArray) throw new FileError(`this is not JSON: ${error}`, line);
		if (error !== undefined) return { faults: [{ field: undefined, problem: "not one JSON object", detail: error }] };
		if (typeof value !== "object" || value === null || Array.isArray(value))
			return { faults: [{ field: undefined, problem: "not a JSON object" }] };
		const object = value as Record<string, unknown>;
		const { names, faults } = namesIn(object);
		return { ...(faults.length > 0 ? { faults } : petOfFields(pick(object, names), reading)), names };
	}
}

/**
 * Returns a function that names an object's fields of an animal. The first objects decide, as the first rows of a table
 * do; a name that appears later is considered then, for fields that have no name yet.
 */
function nameFinder({ mapping, ...reading }: Reading, first: Record<string, unknown>[]) {
	const known = new Set(first.flatMap((object) => Object.keys(object)));
	let decided: Mapping = { ...mapping };
	let fits: [field: keyof NewPet, names: string[]][] = [];
	const decide = () => {
		const columns = [...known];
		const found = findColumns(
			columns,
			decided,
			first.map((object) => cellsOf(object, columns)),
		);
		fits = newPetFields.map((field) => [field, found.fits[field].map((at) => columns[at] ?? "")]);
		decided = {
			...Object.fromEntries(fits.flatMap(([field, [name, other]]) => (name && !other ? [[field, name]] : []))),
			...mapping,
		};
		reading.reportUnused(found.unused);
		reportFiner(columns, found, reading);
	};
	decide();
	return (object: Record<string, unknown>) => {
		const size = known.size;
		for (const name of Object.keys(object)) known.add(name);
		if (known.size > size) decide();
		const names: Texts = {};
		const faults: Fault[] = [];
		for (const [field, all] of fits) {
			const own = all.length > 1 ? all.filter((name) => Object.hasOwn(object, name)) : all;
			if (own.length > 1) faults.push({ field, problem: `is given several times: ${quoteNames(own)}` });
			else if (own[0] !== undefined) names[field] = own[0];
		}
		return { names, faults };
	};
}
