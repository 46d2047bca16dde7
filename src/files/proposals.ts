// What a file leaves open about its columns: for each question there is a proposal, which a person confirms or changes.

import type { NewPet } from "../contract/pet.ts";
import { findColumns, likeliest } from "./columns.ts";
import { quoteNames } from "./encoding.ts";
import { type FileKind, findHeader, type Source } from "./formats.ts";
import type { ReadOptions } from "./rows.ts";

export interface Question {
	/** What is open, as a sentence without an end. */
	text: string;
	/** The flags of the command that confirm the proposal. */
	flags: string[];
}

/** How a flag names a column by its position. */
export const positionOf = (field: keyof NewPet, at: number) => `${field}=#${at + 1}`;

/** @returns the options with a column for each field that several columns of a table fit, and the questions about them */
export async function proposeColumns(
	source: Source,
	kind: FileKind,
	options: ReadOptions,
): Promise<{ options: ReadOptions; questions: Question[] }> {
	if (kind.format !== "csv") return { options, questions: [] };
	const { columns, sample } = await findHeader(source, kind, options);
	const mapping = { ...options.mapping };
	const found = findColumns(columns, mapping, sample);
	const questions = found.ambiguous.map((field) => {
		const fits = found.fits[field];
		const chosen = likeliest(field, found.fits);
		mapping[field] = chosen;
		const names = `${quoteNames(fits.map((at) => columns[at] ?? ""))} (${fits.map((at) => `#${at + 1}`).join(", ")})`;
		return { text: `several columns match ${field}: ${names}`, flags: ["--map", positionOf(field, chosen)] };
	});
	return { options: { ...options, mapping }, questions };
}
