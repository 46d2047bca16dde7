// Finds the columns of a file, or the fields of a JSON object, that contain the fields of an animal.

import { NewPet, newPetFields } from "../contract/pet.ts";
import { categories, idName, isKind, knownName, mayBeName, plainName, rankOf, sexes } from "./column-words.ts";
import { FileError, quoteNames } from "./encoding.ts";
import { isNothing, isWord, plainValue, proposeStatus } from "./values.ts";

type Field = keyof NewPet;

/**
 * The column of each field: its name, or its position, because columns may have equal names or none; null if the field
 * is not taken from any column.
 */
export type Mapping = Partial<Record<Field, string | number | null>>;

export function isMappingField(name: string): name is Field {
	return (newPetFields as string[]).includes(name);
}

/** The first rows below the heading. They show what each column holds. */
export type Sample = readonly (readonly string[])[];

/** The error of a column that is missing, unknown or ambiguous. Another mapping may help. */
export class ColumnError extends FileError {
	/** The required fields that no column holds. */
	readonly missing: readonly string[];

	constructor(message: string, line?: number, missing: readonly string[] = []) {
		super(message, line);
		this.missing = missing;
	}
}

/**
 * The first row that names all required fields; otherwise the first row that names the most fields, because a person or
 * a mapping can add the others. Undefined if no row names a field. A row with one cell is a title.
 */
export function findHeading<Row extends { cells: string[] }>(rows: readonly Row[], mapping?: Mapping): Row | undefined {
	const rated = rows.map((row) => ({ row, rate: rateHeading(row.cells, mapping) }));
	const best = Math.max(0, ...rated.map(({ rate }) => rate));
	return best > 0 ? rated.find(({ rate }) => rate === best)?.row : undefined;
}

/** The number of fields that a heading names; if no required one is missing, a number above that of all fields. */
function rateHeading(cells: readonly string[], mapping?: Mapping): number {
	const names = cells.map((cell) => cell.trim());
	if (names.filter((name) => name !== "").length < 2) return 0;
	// A mapping by position does not count, because every row has that position. Only a heading has the names.
	const named = Object.entries(mapping ?? {}).filter(([, column]) => typeof column !== "number");
	const { at, unknown, missing } = findColumns(names, Object.fromEntries(named));
	if (unknown.length + missing.length === 0) return newPetFields.length + 1;
	return newPetFields.filter((field) => at[field] !== -1).length;
}

/** Whether a row could be a heading whose names are all unknown: it has at least two texts. */
export function hasTexts({ cells }: { cells: string[] }): boolean {
	return cells.filter((cell) => /\p{L}/u.test(cell)).length > 1;
}

const required: readonly string[] = NewPet.required;
/** Columns added by exports, files of rejected rows, and tables of several sheets. */
const ours: readonly string[] = ["id", "line", "reason", "sheet"];
/** From this rank on, a name of the category's column means kinds of animals in words. */
const kindRank = 2;

export type Columns = ReturnType<typeof findColumns>;

/**
 * Matches names regardless of case, accents, signs and articles, and then looks at the values below them. A mapping
 * overrides the names of its fields.
 */
export function findColumns(columns: readonly string[], mapping: Mapping = {}, sample: Sample = []) {
	const fits = Object.fromEntries(newPetFields.map((field) => [field, [] as number[]])) as Record<Field, number[]>;
	const unknown: string[] = [];
	for (const field of newPetFields) {
		const wanted = mapping[field];
		if (wanted === undefined || wanted === null) continue;
		fits[field] = typeof wanted === "number" ? positionsOf(wanted, [...columns.keys()]) : columnsNamed(wanted, columns);
		if (fits[field].length === 0) unknown.push(typeof wanted === "number" ? `#${wanted + 1}` : wanted);
	}
	const names = columns.map(knownName);
	const isOther = (at: number) => columns[at] !== "" && !ours.includes(names[at] ?? "");
	let isNumbered = false;
	let finer: number[] = [];
	for (const field of newPetFields) {
		if (mapping[field] !== undefined) continue;
		const ranked = rankedColumns(field, names, Object.values(fits).flat(), sample);
		const [best] = ranked;
		const isBest = ({ rank, size }: RankedColumn) => rank === best?.rank && size === best.size;
		fits[field] = ranked.filter(isBest).map(({ at }) => at);
		if (field !== "categoryId" || !best) continue;
		isNumbered = best.rank === 0;
		if (best.rank >= kindRank) finer = ranked.flatMap((one) => (isBest(one) || !isOther(one.at) ? [] : one.at));
	}
	const taken = Object.values(fits).flat();
	// If a column has the category's number, another column "category" has the category's name.
	const isNameOfNumber = (at: number) => isNumbered && categories.includes(names[at] ?? "");
	// If several columns have names, the one nearest to the category has the animals': people's names are farther away.
	const distance = (at: number) => Math.abs(at - (fits.categoryId[0] ?? 0));
	const nearest = ([...of]: number[]) => of.sort((one, other) => distance(one) - distance(other))[0] ?? -1;
	const at = Object.fromEntries(newPetFields.map((field) => [field, nearest(fits[field])])) as Record<Field, number>;
	return {
		/** The position of each field's column, or of the likeliest of several; -1 if there is none. */
		at,
		/** Columns that could be the category, too, but have finer kinds than the chosen column. */
		finer,
		/** The columns that fit a field equally well: if there are several, a person has to choose one. */
		fits,
		/** Columns that are not a field of an animal, except columns that exports and rejected rows add. */
		unused: columns.filter((_, index) => !taken.includes(index) && isOther(index) && !isNameOfNumber(index)),
		/** Required fields without a column. */
		missing: newPetFields.filter((field) => required.includes(field) && at[field] === -1),
		/** Columns that a mapping names, but that the file does not have. */
		unknown,
		/** Fields that several columns fit. */
		ambiguous: newPetFields.filter((field) => fits[field].length > 1),
	};
}

/**
 * Finds the column of each field. In JSON, a field that a mapping names is not missing: a later object may have it.
 * @throws ColumnError if a column is unknown or ambiguous, or is missing without a fallback
 */
export function checkColumns(
	{ columns, line, headerRow, sample }: { columns: string[]; line: number; headerRow?: number; sample: Sample },
	mapping?: Mapping,
	fallback: Partial<Record<Field, unknown>> = {},
): Columns {
	const found = findColumns(columns, mapping, sample);
	const [ambiguous] = found.ambiguous;
	const isLate = (field: Field) => headerRow === undefined && typeof mapping?.[field] === "string";
	const missing = found.missing.filter((field) => fallback[field] === undefined && !isLate(field));
	if (columns.length === 0) throw new ColumnError("the list has no objects with fields", line);
	const where = headerRow ? `row ${headerRow} has the columns` : "the columns are";
	const refuse = (why: string, missing?: readonly string[]) =>
		new ColumnError(`${why}; ${where} ${quoteNames(columns)}`, line, missing);
	if (found.unknown.length > 0 && headerRow !== undefined)
		throw refuse(`there is no column ${quoteNames(found.unknown)}`);
	if (missing.length > 0)
		throw refuse(`missing column${missing.length > 1 ? "s" : ""}: ${missing.join(", ")}`, missing);
	if (!ambiguous) return found;
	throw refuse(`several columns match ${ambiguous}: ${quoteNames(namesAt(columns, found.fits[ambiguous]))}`);
}

/** The columns with exactly this name; if there are none, the columns with the same `plainName`. */
export function columnsNamed(wanted: string, columns: readonly string[]): number[] {
	const exact = positionsOf(wanted, columns);
	return exact.length > 0 ? exact : positionsOf(plainName(wanted), columns.map(plainName));
}

function positionsOf<Item>(wanted: Item, among: readonly Item[]): number[] {
	return among.flatMap((one, index) => (one === wanted ? [index] : []));
}

interface RankedColumn {
	at: number;
	/** How well the column's name says that the column holds the field: 0 is best. */
	rank: number;
	/** The number of distinct kinds, if the column may have kinds of animals in words; otherwise 0. */
	size: number;
}

/** The columns whose names and values fit a field, best first. If names are equally good, fewer kinds are better. */
function rankedColumns(
	field: Field,
	names: readonly string[],
	taken: readonly number[],
	sample: Sample,
): RankedColumn[] {
	const named = names.flatMap((name, at) => {
		const rank = taken.includes(at) ? undefined : rankOf(field, name);
		if (rank === undefined) return [];
		const values = valuesOf(sample, at);
		const size = field === "categoryId" && rank >= kindRank ? new Set(values.map(plainValue)).size : 0;
		return [{ at, rank, size, isFilled: values.length > 0, mayBe: field !== "status" || mayBeStatuses(values, rank) }];
	});
	const fitting = named.filter(({ mayBe }) => mayBe);
	const filled = fitting.filter(({ isFilled }) => isFilled);
	const ranked = filled.length > 0 ? filled : fitting;
	return ranked.sort((one, other) => one.rank - other.rank || one.size - other.size);
}

const valuesOf = (sample: Sample, at: number) =>
	sample.map((cells) => cells[at]?.trim() ?? "").filter((text) => text !== "" && !isNothing(text));

const most = (values: readonly string[], is: (value: string) => boolean) =>
	values.filter(is).length * 2 > values.length;

/** Below "Status", any words may be statuses. "State" has other meanings, so one of its values must be a known word. */
function mayBeStatuses(values: readonly string[], rank: number): boolean {
	if (values.length === 0 || values.some((value) => proposeStatus(value) !== undefined)) return true;
	return rank < 2 && most(values, isWord);
}

/** The names of the columns at these positions. */
export const namesAt = (columns: readonly string[], positions: readonly number[]): string[] =>
	positions.map((at) => columns[at] ?? "");

/**
 * Finds the columns of missing fields by the columns' values. A column of kinds of animals has the categories. If the
 * heading names neither the name nor the category, the heading may be an animal. Then, of the columns of words, the one
 * with the most distinct values has the names, and the one with the fewest has the categories. A heading such as "House
 * name" counts more than values. @param heading the row that names the columns, empty if none does
 */
export function columnsByValues(heading: readonly string[], sample: Sample, { at, missing }: Columns): Mapping {
	const rows = missing.includes("name") ? [heading, ...sample] : sample;
	const width = Math.max(0, ...rows.map((cells) => cells.length));
	const free = Array.from({ length: width }, (_, index) => index).filter((index) => !Object.values(at).includes(index));
	const rated = free.map((index) => {
		const values = valuesOf(rows, index);
		const isStatus = most(values, (value) => proposeStatus(value) !== undefined);
		const isWords =
			!isStatus && most(values, (value) => isWord(value) && !/^[{[]|\d/.test(value) && !sexes.test(value));
		const size = new Set(values.map(plainValue)).size;
		return { index, isStatus, isWords, isNamed: mayBeName(heading[index] ?? ""), isKind: most(values, isKind), size };
	});
	const kind = rated.find((one) => one.isKind);
	const ofKind: Mapping = missing.includes("categoryId") && kind ? { categoryId: kind.index } : {};
	if (!missing.includes("name")) return ofKind;
	const words = rated.filter((one) => (one.isWords || one.isNamed) && one.size > 0 && one !== kind);
	words.sort((one, other) => Number(other.isNamed) - Number(one.isNamed) || other.size - one.size);
	const [name, ...others] = words;
	if (name?.isNamed) return { name: name.index, ...ofKind };
	const category = kind ?? others.find(({ size }) => size === others.at(-1)?.size);
	const status = rated.find(({ isStatus }) => isStatus);
	if (missing.length < 2 || !name || !category) return {};
	return { name: name.index, categoryId: category.index, ...(status && { status: status.index }) };
}

/** Whether a table is an export of an animal store, whose ids mean nothing in another store. */
export const isOwnExport = (columns: readonly string[]) =>
	["id", "name", "categoryId"].every((name) => columns.includes(name));

/**
 * The column whose values identify the animals of a list: each row has a value, and the heading means an animal's id
 * or, if there is no such column, any id. -1 if there is no column of ids.
 */
export function idColumn(columns: readonly string[], { at }: Columns, sample: Sample): number {
	if (isOwnExport(columns)) return -1;
	const isFilled = (index: number) => sample.length > 0 && valuesOf(sample, index).length === sample.length;
	const fits = columns.flatMap((column, index) => {
		const [isId, ...groups] = idName.exec(plainName(column)) ?? [];
		const ofAnimals = groups.find((group) => group !== undefined);
		const isFree = !Object.values(at).includes(index);
		return isId !== undefined && isFree && isFilled(index) ? [{ index, ofAnimals }] : [];
	});
	return (fits.find(({ ofAnimals }) => ofAnimals !== undefined) ?? fits[0])?.index ?? -1;
}
