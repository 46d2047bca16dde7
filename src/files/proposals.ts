// What a file leaves open about its columns: for each question there is a proposal, which a person confirms or changes.

import { type NewPet, newPetFields } from "../contract/pet.ts";
import { isKind } from "./column-words.ts";
import {
	type Columns,
	columnsByValues,
	columnsNamed,
	findColumns,
	idColumn,
	type Mapping,
	namesAt,
} from "./columns.ts";
import { FileError, quoteNames } from "./encoding.ts";
import type { FileKind, Source } from "./formats.ts";
import type { Fallback, FileRow, ReadOptions } from "./rows.ts";
import { openTable, type Table } from "./table.ts";
import { isNoName, mayBeAnimal, proposeCategory } from "./values.ts";

export interface Question {
	/** What is open, as a sentence without a full stop. */
	text: string;
	/** The flags of the command that confirm the proposal. */
	flags: string[];
}

/** What flags decide, apart from the columns of fields. If a member is undefined, a person is asked. */
interface Wanted {
	/** The category of animals that have none. */
	category?: string | undefined;
	/** The column whose values replace missing names; an empty text if rows without a name are left out. */
	unnamed?: string | undefined;
	/** The column with the same value in all rows of an animal; an empty text if each row is an animal. */
	oncePer?: string | undefined;
}

export interface Proposals {
	options: ReadOptions;
	questions: Question[];
	/** The column used for missing names, as a flag's value; present if a person has to confirm it. */
	standIn?: string;
	/** The column whose values repeat if an animal has several rows; undefined if each row is an animal. */
	id?: IdColumn;
}

/** A column whose values identify the animals of a list. */
export interface IdColumn {
	at: number;
	/** The column, as a flag names it. */
	name: string;
	/** The position of the column with the animals' names. */
	nameAt: number;
	isConfirmed: boolean;
}

/**
 * Proposes what a file leaves open: the column of a field if none or several have a fitting name, a category for a list
 * of one species, and the column with the ids. @param title the name of the list
 */
export async function proposeColumns(
	{ source, kind, title }: { source: Source; kind: FileKind; title: string },
	given: ReadOptions,
	wanted: Wanted,
): Promise<Proposals> {
	if (kind.format !== "csv" && given.headerRow !== undefined)
		throw new FileError("--header-row is for tables: leave it out");
	const questions: Question[] = [];
	const ask = (text: string, ...flags: string[]) => questions.push({ text, flags });
	const first = await openTable(source, kind, given);
	const named = findColumns(first.columns, given.mapping, first.sample);
	const isWanted = (field: keyof NewPet) => field !== "categoryId" || wanted.category === undefined;
	const missing = named.missing.filter(isWanted);
	const heading = first.headerRow === 0 ? [] : first.columns;
	const byValues = columnsByValues(heading, first.sample, { ...named, missing });
	const isAnimal = given.headerRow === undefined && isLikeBelow(first, byValues);
	if (isAnimal) ask(`row ${first.headerRow} seems to be an animal, not a heading`, "--header-row", "0");
	const headerRow = isAnimal ? 0 : given.headerRow;
	const table = isAnimal ? await openTable(source, kind, { headerRow }) : first;
	const { columns, sample } = table;
	const mapping = { ...given.mapping, ...byValues };
	const found = findColumns(columns, mapping, sample);
	const mapTo = (field: keyof NewPet) => ["--map", `${field}=#${found.at[field] + 1}`];
	for (const field of newPetFields) {
		const fits = found.fits[field];
		const positions = fits.map((at) => `#${at + 1}`).join(", ");
		const places = table.headerRow === 0 ? positions : `${quoteNames(namesAt(columns, fits))} (${positions})`;
		const examples = quoteNames(sample.slice(0, 2).map((cells) => cells[found.at[field]] ?? ""));
		if (byValues[field] !== undefined)
			ask(`no column is named ${field}: ${places} seems to have it, such as ${examples}`, ...mapTo(field));
		if (fits.length < 2) continue;
		ask(`several columns match ${field}: ${places}`, ...mapTo(field));
		mapping[field] = found.at[field];
	}
	const fallback: Fallback = { categoryId: wanted.category };
	const category = proposeCategory(kind.sheet ?? title);
	if (found.missing.join() === "categoryId" && wanted.category === undefined && category !== undefined) {
		fallback.categoryId = category;
		ask(
			"no column has the categories: --map categoryId=COLUMN takes one, --category NAME is for all animals",
			"--category",
			category,
		);
	}
	const id = flagOfId(table, found);
	const { unnamed, oncePer = id } = wanted;
	if (unnamed === "") fallback.name = null;
	else fallback.name = positionIn(table, unnamed ?? id);
	const at = positionIn(table, oncePer || undefined);
	const isConfirmed = wanted.oncePer !== undefined;
	return {
		options: { ...given, headerRow, mapping, fallback },
		questions,
		...(unnamed === undefined && id !== undefined && { standIn: id }),
		...(at !== undefined && oncePer && { id: { at, name: oncePer, nameAt: found.at.name, isConfirmed } }),
	};
}

/** The column with the ids, as a flag names it: by its name, or by its position if several columns have the name. */
function flagOfId({ columns, sample }: Table, found: Columns): string | undefined {
	const at = idColumn(columns, found, sample);
	const name = columns[at];
	return name === undefined || columnsNamed(name, columns).length === 1 ? name : `#${at + 1}`;
}

/** The position of a column that a flag names. @throws FileError if there is none */
function positionIn({ columns, headerRow, line }: Table, column: string | undefined): number | undefined {
	if (column === undefined) return undefined;
	const [, position] = /^#(\d+)$/.exec(column) ?? [];
	const at = position === undefined ? (columnsNamed(column, columns)[0] ?? -1) : Number(position) - 1;
	if (columns[at] !== undefined) return at;
	const where = headerRow ? ` in row ${headerRow}` : "";
	throw new FileError(`there is no column ${quoteNames([column])}${where}`, line);
}

/** Whether a heading looks like an animal: a cell is a number, or the category is a kind of animal or occurs below. */
function isLikeBelow({ columns, headerRow, sample }: Table, { name, categoryId }: Mapping): boolean {
	if (headerRow === undefined || typeof name !== "number" || typeof categoryId !== "number") return false;
	const categoryOf = (cells: readonly string[]) => (cells[categoryId] ?? "").trim().toLowerCase();
	const own = categoryOf(columns);
	return (
		columns.some((cell) => /^[\d.,-]+$/.test(cell)) || isKind(own) || sample.some((cells) => categoryOf(cells) === own)
	);
}

/** At most this many ids are compared, unless a person has confirmed the column. */
const idsMax = 100_000;

/**
 * Finds which rows with the same id to leave out: all but the last one that is an animal with a name. If none is an
 * animal with a name, all but the last animal; if none is an animal, all but the last row.
 */
export function repeatFinder({ at, nameAt, isConfirmed }: IdColumn) {
	/** For each id, what is known of the row to add. */
	const chosen = new Map<string, { number: number; name: string; rank: number }>();
	const others = new Set<number>();
	let [named, renamed] = [0, 0];
	const isFull = () => chosen.size === idsMax && !isConfirmed;
	return {
		/** The `number` of each row that is left out. */
		others,
		add(row: FileRow): void {
			const { given, number } = row;
			const [id = "", name = ""] = [given.cells[at]?.trim(), given.cells[nameAt]?.trim()];
			const before = chosen.get(id);
			if (id === "" || (!before && isFull())) return;
			const rank = mayBeAnimal(row) ? 1 + Number(!isNoName(name)) : 0;
			if (before) {
				const areNamed = !isNoName(name) && !isNoName(before.name);
				if (areNamed) named++;
				if (areNamed && name !== before.name) renamed++;
				others.add(rank < before.rank ? number : before.number);
			}
			if (!before || rank >= before.rank) chosen.set(id, { number, name, rank });
		},
		/** Whether rows with the same id seem to be one animal: at most half of their names differ, or they have none. */
		isLikely: () => others.size > 0 && renamed * 2 <= named,
		get animals() {
			return chosen.size;
		},
		/** Whether further ids were not compared. */
		isFull,
	};
}
