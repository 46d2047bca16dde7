// What a file leaves open about its columns: for each question there is a proposal, which a person confirms or changes.

import type { NewPet } from "../contract/pet.ts";
import { ColumnError, columnsNamed, findColumns, idColumn, likeliest } from "./columns.ts";
import { quoteNames } from "./encoding.ts";
import { type FileKind, findHeader, type Source } from "./formats.ts";
import type { Fallback, FileRow, ReadOptions } from "./rows.ts";

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
	/** The name of the column that stands in for a name, if a person has to confirm it. */
	standIn?: string;
	/** The column whose values repeat if an animal has several rows; undefined if each row is an animal. */
	id?: IdColumn;
}

/** A column whose values tell the animals of a list apart. */
export interface IdColumn {
	at: number;
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
	const options = { ...given, fallback };
	if (kind.format !== "csv") return { options, questions: [] };
	const { columns, sample, row, line } = await findHeader(source, kind, options);
	const mapping = { ...options.mapping };
	const found = findColumns(columns, mapping, sample);
	const questions = found.ambiguous.map((field) => {
		const fits = found.fits[field];
		const chosen = likeliest(field, found.fits);
		mapping[field] = chosen;
		const names = `${quoteNames(fits.map((at) => columns[at] ?? ""))} (${fits.map((at) => `#${at + 1}`).join(", ")})`;
		return { text: `several columns match ${field}: ${names}`, flags: ["--map", positionOf(field, chosen)] };
	});
	if (found.missing.join() === "categoryId" && fallback.categoryId === undefined) {
		fallback.categoryId = kind.sheet ?? title;
		const text = "no column has the categories: --category NAME says which all animals have";
		questions.push({ text, flags: ["--category", fallback.categoryId] });
	}
	const positionFor = (name: string) => {
		const [at = Number(/^#(\d+)$/.exec(name)?.[1] ?? 0) - 1] = columnsNamed(name, columns);
		if (columns[at] === undefined)
			throw new ColumnError(`there is no column ${quoteNames([name])} in row ${row}`, line);
		return at;
	};
	const nameAt = found.ambiguous.includes("name") ? likeliest("name", found.fits) : found.at.name;
	const at = idColumn(columns, found, sample);
	const name = columns[at] ?? "";
	if (wanted.unnamed !== undefined) fallback.name = wanted.unnamed === "" ? null : positionFor(wanted.unnamed);
	else if (at !== -1) fallback.name = at;
	const standIn = wanted.unnamed === undefined && at !== -1 && { standIn: name };
	const proposed = { options: { ...options, mapping }, questions, ...standIn };
	if (wanted.oncePer)
		return { ...proposed, id: { at: positionFor(wanted.oncePer), name: wanted.oncePer, nameAt, isConfirmed: true } };
	const isOpen = wanted.oncePer === undefined && at !== -1;
	return isOpen ? { ...proposed, id: { at, name, nameAt, isConfirmed: false } } : proposed;
}

/** The most ids that are compared unasked: an export has an id in each of its many rows. */
const idsMax = 100_000;

/** Finds the rows of an animal before its last one: they have the same id. */
export function repeatFinder({ at, nameAt, isConfirmed }: IdColumn) {
	const last = new Map<string, { number: number; name: string }>();
	const earlier = new Set<number>();
	let renamed = 0;
	return {
		/** The numbers of the rows before the last one of an animal. */
		earlier,
		add({ given, number }: FileRow): void {
			if (typeof given === "string") return;
			const [id = "", name = ""] = [given.cells[at]?.trim(), given.cells[nameAt]?.trim()];
			const before = last.get(id);
			if (id === "" || (!before && !isConfirmed && last.size === idsMax)) return;
			if (before) earlier.add(before.number);
			if (before && before.name !== name) renamed++;
			last.set(id, { number, name });
		},
		/** Whether rows with the same id seem to be one animal: their names are mostly the same. */
		isLikely: () => earlier.size > 0 && renamed * 2 < earlier.size,
		get animals() {
			return last.size;
		},
	};
}
