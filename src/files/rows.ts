// Reads a file of animals row by row and checks each row before anything is sent. A row that breaks a rule has faults.
// A broken file, such as one without a required column, is refused as a whole.

import { comparedName } from "../contract/equal-texts.ts";
import { newPetFields } from "../contract/pet.ts";
import {
	ColumnError,
	type Columns,
	checkColumns,
	findColumns,
	isOwnExport,
	type Mapping,
	namesAt,
	type Sample,
} from "./columns.ts";
import { quoteNames } from "./encoding.ts";
import { type FileKind, firstRecords, rowIn, type Source } from "./formats.ts";
import { hasWordsAt, otherRowFinder } from "./other-rows.ts";
import { openTable, type TableRecord } from "./table.ts";
import { isNoName, isNothing, isWord, type Outcome, outcomeOf, type Texts, type Values } from "./values.ts";

export type FileRow = Place & Outcome;
interface Place {
	/** The line of the row's first character, from 1. */
	line: number;
	/** The row number in a spreadsheet, with its sheet if several sheets are read as one table; in JSON, the line. */
	row: number | string;
	/** Unique in the file: the line, or the position in a JSON array, where one line may hold many rows. */
	number: number;
	given: Given;
	/** The row as the file has it; present if a person has corrected the row. */
	original?: Given;
}

/** A row as the file has it. */
interface Given extends Pick<Columns, "at"> {
	cells: string[];
	columns: string[];
	/** The JSON of the row, and the positions of its lists, objects, and numbers other than exact integers. */
	text?: string | undefined;
	inexact?: readonly number[] | undefined;
	/** Whether the file is an export: then "None" and "?" are names. */
	isOwn: boolean;
}

export interface Fallback {
	/** The category of animals that have none. */
	categoryId?: string | undefined;
	/** The position of the column whose values replace missing names; null if rows without a name are left out. */
	name?: number | null | undefined;
}

/** A row that is no animal, with its first text. */
export interface OtherRow extends Pick<Place, "row"> {
	text: string;
}

export interface ReadOptions {
	/** The columns of some fields. The columns of all other fields are found by name. */
	mapping?: Mapping | undefined;
	/** The number of the row that names the columns, as in a spreadsheet; 0 if no row does. If absent, it is found. */
	headerRow?: number | undefined;
	/** The meanings of texts that are neither a status nor the number of a category. */
	values?: Values | undefined;
	/** The replacements for missing values. */
	fallback?: Fallback | undefined;
	/** Called for each name whose line breaks were replaced by blanks; if absent, such a row is rejected. */
	onJoined?: (() => void) | undefined;
	/** The texts that a person entered to replace fields of a row, by the row's `number`. */
	corrections?: ReadonlyMap<number, Texts>;
	/** Called once for each column that is ignored. */
	onUnused?: (name: string) => void;
	/** Called with the number of each row without a name of its own. */
	onNameless?: (number: number) => void;
	/** Called for each row that is no animal, such as a sum. */
	onOther?: (row: OtherRow) => void;
	/** Called if a column was chosen as the category because the other columns have finer kinds. */
	onFiner?: (category: string, finer: readonly string[]) => void;
}

/**
 * All rows in the order of the file, in one batch for each piece of the file. Uses constant memory.
 * @throws FileError for a broken file, after yielding the rows before the broken line
 */
export async function* readRows(source: Source, kind: FileKind, options: ReadOptions = {}): AsyncGenerator<FileRow[]> {
	const table = await openTable(source, kind, options);
	const { columns, sample, headerRow = 0 } = table;
	const { fallback = {}, corrections, onNameless } = options;
	let found = checkColumns(table, options.mapping, fallback);
	let width = columns.length;
	const { finer, at } = found;
	if (finer.length > 0) options.onFiner?.(columns[at.categoryId] ?? "", namesAt(columns, finer));
	const reported = new Set<string>();
	const isOwn = isOwnExport(columns);
	const isOther = otherRowFinder(kind.sheets ? ["", ...columns.slice(1)] : columns, found, sample);
	const hasWords = hasWordsAt(at.categoryId, sample);
	let elements = 0;

	function rowsOf(record: TableRecord): FileRow[] {
		const { line, row, cells, text, inexact, fault } = record;
		const number = kind.format === "json" ? ++elements : line;
		if (row <= headerRow) return [];
		const given = { columns, at: found.at, isOwn, cells, ...(text !== undefined && { text, inexact }) };
		const place = { line, row: rowIn(kind, row), number, given };
		if (fault) return [{ ...place, faults: [fault] }];
		if (text === undefined && isEmpty(cells, found)) return [];
		const own = kind.sheets ? ["", ...cells.slice(1)] : cells; // The first cell is the sheet's name.
		if (isOther(own)) {
			options.onOther?.({ ...place, text: own.find((cell) => /\S/.test(cell)) ?? "" });
			return [];
		}
		const isNameless = (onNameless || fallback.name === null) && !isOwn && isNoName(cells[found.at.name]);
		if (isNameless) onNameless?.(number);
		if (isNameless && fallback.name === null) return [];
		const corrected = corrections?.get(number);
		const outcome = petOfCells(given, options);
		const isStray = hasWords && isStrayNumber(outcome, cells[found.at.categoryId], options.values);
		const read = { ...place, ...(isStray ? { faults: [noCategory] } : outcome) };
		return [corrected ? correctedRow(read, corrected, options) : read];
	}

	for await (const records of table.records()) {
		if (columns.length > width) found = findColumns(columns, options.mapping, sample);
		width = columns.length;
		for (const name of found.unused) {
			if (reported.has(name) || reported.size === 100) continue;
			reported.add(name);
			options.onUnused?.(name);
		}
		yield records.flatMap(rowsOf);
	}
	if (found.unknown.length > 0) throw new ColumnError(`no object has a field ${quoteNames(found.unknown)}`);
}

/** The row with these texts instead of the file's. Their fields must have columns. */
export function correctedRow(row: FileRow, texts: Texts, options: ReadOptions): FileRow {
	const fields = newPetFields.filter((field) => texts[field] !== undefined);
	if (fields.length === 0) return row;
	const { pet: _pet, faults: _faults, unknown: _unknown, ...place } = row;
	const cells = padded(place.given);
	for (const field of fields) cells[place.given.at[field]] = texts[field] ?? "";
	const given = { ...place.given, cells };
	return { ...place, given, original: place.given, ...petOfCells(given, options) };
}

/** The names of the columns that hold the fields. */
export const columnsOf = ({ columns, at }: Given): Texts => byField(columns, at);

/** The fields of an animal in a row, as texts. */
export const textsOf = (given: Given): Texts => byField(padded(given), given.at);

/** One cell for each column, because spreadsheet programs leave out or add empty cells at the end of a row. */
const padded = ({ cells, columns }: Pick<Given, "cells" | "columns">) => columns.map((_, at) => cells[at] ?? "");

function byField(values: readonly string[], at: Columns["at"]): Texts {
	return Object.fromEntries(newPetFields.flatMap((field) => (at[field] === -1 ? [] : [[field, values[at[field]]]])));
}

/** An animal in a few words: its name, and in brackets its category and status as the file has them. */
export function exampleOf({ given }: FileRow, options: ReadOptions): string {
	const { name = "", categoryId = "", status = "" } = completedTexts(given, options);
	const short = (text: string) => text.trim().replace(/\s+/g, " ").slice(0, 40);
	const others = [categoryId, status].filter((text) => !isBlank(text)).map(short);
	return `${short(name)} (${others.join(", ")})`;
}

export interface Preview {
	/** The names of the columns; in JSON, of the fields in the first rows. */
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
	const { columns, headerRow, sample, records } = await openTable(source, kind, options);
	const heading = headerRow ?? 0;
	const rows = await firstRecords(records(), heading + count);
	const found = findColumns(columns, options.mapping, sample);
	const below = rows.filter(({ row, cells }) => row > heading && !isEmpty(cells, found)).slice(0, count);
	return {
		columns,
		headerRow,
		above: rows.flatMap(({ row, cells }) => (row < heading ? { row, cells } : [])),
		rows: below.map(({ row, cells }) => ({ row, cells: padded({ cells, columns }) })),
		sample,
	};
}

/**
 * Whether a row of a table is empty. Spreadsheet programs write cleared rows as empty cells, and unchecked boxes as
 * "false" in their language. In the column of an animal's field, "false" is a value.
 */
function isEmpty(cells: string[], { at }: Columns): boolean {
	const isUnchecked = (cell: string, index: number) =>
		/^(false|falsch|faux|falso)$/i.test(cell) && !Object.values(at).includes(index);
	return cells.every((cell, index) => cell === "" || isUnchecked(cell, index));
}

function petOfCells(given: Given, options: ReadOptions): Outcome {
	const { cells, columns, isOwn } = given;
	if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== ""))
		return { faults: [{ field: undefined, problem: "more cells than columns: put text with a delimiter in quotes" }] };
	return outcomeOf(completedTexts(given, options), options.values, isOwn);
}

const noCategory = { field: "categoryId", problem: "must be the number or the name of a category" };

/** Whether the category is a number that no category in the store has, and that no person has given a meaning. */
function isStrayNumber({ pet }: Outcome, text = "", { numbers, categoryId }: Values = {}): boolean {
	if (!pet || !numbers || numbers.has(pet.categoryId) || !/\S/.test(text)) return false;
	return !isWord(text) && !isNothing(text) && !categoryId?.has(comparedName(text));
}

const isBlank = (text: string) => !/\S/.test(text) || isNothing(text);

/** A row's fields, after replacing a missing name or category, and line breaks in a name. */
function completedTexts({ cells, at, isOwn, inexact }: Given, { fallback = {}, onJoined }: ReadOptions): Texts {
	const texts: Texts = {};
	// A list, an object, or a number that JavaScript may round is no name, because its text may differ from the file's.
	const nameAt = (position: number) => (inexact?.includes(position) ? "" : (cells[position] ?? ""));
	for (const field of newPetFields)
		if (at[field] !== -1) texts[field] = field === "name" ? nameAt(at.name) : (cells[at[field]] ?? "");
	if (typeof fallback.name === "number" && !isOwn && isNoName(texts.name)) texts.name = nameAt(fallback.name);
	const { name = "", categoryId = "" } = texts;
	if (onJoined && /[\n\r]/.test(name) && !isBlank(name)) {
		onJoined();
		const lines = name.split(/[\n\r]/).map((line) => line.trim());
		texts.name = lines.filter((line) => line !== "").join(" ");
	}
	if (fallback.categoryId !== undefined && isBlank(categoryId)) texts.categoryId = fallback.categoryId;
	return texts;
}
