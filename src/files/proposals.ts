// What a file leaves open about its columns: for each question there is a proposal, which a person confirms or changes.

import type { NewPet } from "../contract/pet.ts";
import {
	ColumnError,
	columnsByValues,
	columnsNamed,
	findColumns,
	idColumn,
	isKind,
	kindColumn,
	likeliest,
	type Sample,
} from "./columns.ts";
import { FileError, quoteNames } from "./encoding.ts";
import { type FileKind, findHeader, type Source } from "./formats.ts";
import { type Fallback, type FileRow, previewRows, type ReadOptions } from "./rows.ts";
import { isNoName, mayBeAnimal, proposeCategory } from "./values.ts";

export interface Question {
	/** What is open, as a sentence without an end. */
	text: string;
	/** The flags of the command that confirm the proposal. */
	flags: string[];
}

/** How a flag names a column by its position. */
export const positionOf = (field: keyof NewPet, at: number) => `${field}=#${at + 1}`;

/** What flags say beyond the columns; undefined asks. */
interface Wanted {
	/** The category of animals that have none. */
	category?: string | undefined;
	/** The column that stands in for a name; empty leaves out the rows without one. */
	unnamed?: string | undefined;
	/** The column with one value for each animal; empty takes each row for an animal. */
	oncePer?: string | undefined;
}

export interface Proposals {
	options: ReadOptions;
	questions: Question[];
	/** How a flag names the column that stands in for a name, if a person has to confirm it. */
	standIn?: string;
	/** The column whose values repeat if an animal has several rows; undefined if each row is an animal. */
	id?: IdColumn;
}

/** A column whose values tell the animals of a list apart. */
export interface IdColumn {
	at: number;
	/** How a flag names it. */
	name: string;
	/** The position of the column with the animals' names. */
	nameAt: number;
	isConfirmed: boolean;
}

/**
 * Proposes what a table leaves open: the column of a field that several fit, a category for a list of one species, and
 * the column with the ids. @param title the name of the list
 */
export async function proposeColumns(
	{ source, kind, title }: { source: Source; kind: FileKind; title: string },
	given: ReadOptions,
	wanted: Wanted,
): Promise<Proposals> {
	const fallback: Fallback = { categoryId: wanted.category };
	if (kind.format !== "csv") {
		if (wanted.unnamed !== undefined || wanted.oncePer !== undefined || given.headerRow !== undefined)
			throw new FileError("--unnamed, --once-per and --header-row are for tables: leave them out");
		if (Object.values(given.mapping ?? {}).some((column) => typeof column === "number"))
			throw new FileError("positions such as #2 are for tables: name the field of the objects");
		const { columns, sample } = await previewRows(source, kind, 1, given);
		const isOpen = findColumns(columns, given.mapping, sample).missing.join() === "categoryId";
		const questions = isOpen ? askCategory(fallback, title) : [];
		return { options: { ...given, fallback }, questions };
	}
	const first = await findHeader(source, kind, given);
	const byValues = proposeByValues(first, given, fallback);
	const options = { ...given, fallback, headerRow: byValues?.headerRow ?? given.headerRow };
	const { columns, sample, row, line } = options.headerRow === 0 ? await findHeader(source, kind, options) : first;
	const mapping = { ...options.mapping, ...byValues?.mapping };
	const found = findColumns(columns, mapping, sample);
	const questions = byValues?.questions ?? [];
	for (const field of found.ambiguous) {
		const fits = found.fits[field];
		const chosen = likeliest(field, found.fits);
		mapping[field] = chosen;
		const names = `${quoteNames(fits.map((at) => columns[at] ?? ""))} (${fits.map((at) => `#${at + 1}`).join(", ")})`;
		questions.push({ text: `several columns match ${field}: ${names}`, flags: ["--map", positionOf(field, chosen)] });
	}
	if (found.missing.join() === "categoryId" && fallback.categoryId === undefined) {
		const at = kindColumn(sample, Object.values(found.at));
		if (at === -1) questions.push(...askCategory(fallback, kind.sheet ?? title));
		else {
			mapping.categoryId = at;
			const text = `${JSON.stringify(columns[at])} seems to have the categories; --category NAME sets one for all`;
			questions.push({ text, flags: ["--map", positionOf("categoryId", at)] });
		}
	}
	const positionFor = (column: string) => {
		const [, position] = /^#(\d+)$/.exec(column) ?? [];
		const at = position === undefined ? (columnsNamed(column, columns)[0] ?? -1) : Number(position) - 1;
		if (columns[at] === undefined)
			throw new ColumnError(`there is no column ${quoteNames([column])} in row ${row}`, line);
		return at;
	};
	const isClear = (name: string) => !name.startsWith("#") && columnsNamed(name, columns).length === 1;
	const nameAt = found.ambiguous.includes("name") ? likeliest("name", found.fits) : found.at.name;
	const at = idColumn(columns, found, sample);
	const name = isClear(columns[at] ?? "") ? (columns[at] ?? "") : `#${at + 1}`;
	if (wanted.unnamed !== undefined) fallback.name = wanted.unnamed === "" ? null : positionFor(wanted.unnamed);
	else if (at !== -1) fallback.name = at;
	const standIn = wanted.unnamed === undefined && at !== -1 && { standIn: name };
	const proposed = { options: { ...options, mapping }, questions, ...standIn };
	if (wanted.oncePer)
		return { ...proposed, id: { at: positionFor(wanted.oncePer), name: wanted.oncePer, nameAt, isConfirmed: true } };
	const isOpen = wanted.oncePer === undefined && at !== -1;
	return isOpen ? { ...proposed, id: { at, name, nameAt, isConfirmed: false } } : proposed;
}

/** Proposes one category for all animals, if the list's name may be one and no flag says it. */
function askCategory(fallback: Fallback, title: string): Question[] {
	const name = fallback.categoryId === undefined ? proposeCategory(title) : undefined;
	if (name === undefined) return [];
	fallback.categoryId = name;
	const text = "no column has the categories: --category NAME says which all animals have";
	return [{ text, flags: ["--category", name] }];
}

interface Header {
	row: number;
	columns: string[];
	sample: Sample;
}

/** If no name of a column is known: the columns by their values, and whether the first row is an animal. */
function proposeByValues(
	{ row, columns, sample }: Header,
	{ mapping, headerRow }: ReadOptions,
	{ categoryId }: Fallback,
) {
	const isOpen = mapping?.name === undefined && mapping?.categoryId === undefined && categoryId === undefined;
	const { missing } = findColumns(columns, mapping, sample);
	const rows = [columns, ...sample];
	const found = isOpen && missing.length === 2 ? columnsByValues(headerRow === 0 ? sample : rows) : undefined;
	if (!found) return undefined;
	const isAnimal = headerRow === undefined && isLikeBelow(columns, sample, found.categoryId);
	const fields = Object.entries(found) as [keyof NewPet, number][];
	const examples = (at: number) =>
		quoteNames(
			rows
				.slice(isAnimal ? 0 : 1)
				.map((cells) => cells[at] ?? "")
				.slice(0, 2),
		);
	const questions = fields.map(([field, at]) => ({
		text: `no column is named ${field}; column #${at + 1} seems to have it (${examples(at)})`,
		flags: ["--map", positionOf(field, at)],
	}));
	const heading = { text: `row ${row} seems to be an animal, not a heading`, flags: ["--header-row", "0"] };
	return {
		mapping: found,
		headerRow: isAnimal ? 0 : undefined,
		questions: [...(isAnimal ? [heading] : []), ...questions],
	};
}

/** Whether a row looks like those below it: its category is one of theirs, or it has a number above numbers. */
function isLikeBelow(cells: readonly string[], sample: Sample, category: number): boolean {
	const plainAt = (row: readonly string[], at: number) => (row[at] ?? "").trim().toLowerCase();
	const isNumber = (text: string) => /^[\d.,-]+$/.test(text);
	const hasNumber = cells.some((cell, at) => isNumber(cell) && sample.every((row) => isNumber(plainAt(row, at))));
	const own = plainAt(cells, category);
	return hasNumber || isKind(own) || sample.some((row) => plainAt(row, category) === own);
}

/** The most ids that are compared unasked. */
const idsMax = 100_000;

/**
 * Finds the rows of an animal other than the one to add: of the rows with its id, the last one that is an animal with a
 * name; if there is none, the last one that is an animal; if there is none, the last one.
 */
export function repeatFinder({ at, nameAt, isConfirmed }: IdColumn) {
	/** The position of an id in the arrays, which have what is known of the row to add. */
	const places = new Map<string, number>();
	const [numbers, names, ranks]: [number[], string[], number[]] = [[], [], []];
	const others = new Set<number>();
	let [named, renamed] = [0, 0];
	return {
		/** The numbers of the rows that are left out. */
		others,
		add(row: FileRow): void {
			const { given, number } = row;
			if ("text" in given) return;
			const [id = "", name = ""] = [given.cells[at]?.trim(), given.cells[nameAt]?.trim()];
			const before = places.get(id);
			if (id === "" || (before === undefined && !isConfirmed && places.size === idsMax)) return;
			const hasName = !isNoName(name);
			const rank = mayBeAnimal(row) ? 1 + Number(hasName) : 0;
			const place = before ?? places.size;
			if (before === undefined) places.set(id, place);
			else {
				if (hasName && !isNoName(names[place])) named++;
				if (hasName && !isNoName(names[place]) && names[place] !== name) renamed++;
				if (rank < (ranks[place] ?? 0)) return void others.add(number);
				others.add(numbers[place] as number);
			}
			[numbers[place], names[place], ranks[place]] = [number, name, rank];
		},
		/** Whether rows with the same id seem to be one animal: most have the same name, or none has one. */
		isLikely: () => others.size > 0 && renamed * 2 <= named,
		get animals() {
			return places.size;
		},
		/** Whether further ids were not compared. */
		isFull: () => places.size === idsMax && !isConfirmed,
	};
}
