// Rows of a table that are no animals: sums, comments, sections, and headings that are repeated on each printed page.

import { isKind } from "./column-words.ts";
import type { Columns, Sample } from "./columns.ts";
import { isWord } from "./values.ts";

/** Words for sums in English, German, French, Spanish and Portuguese, alone or before a colon or a number. */
const words = "totals?|totales|sum|summe|gesamt|insgesamt|somme|suma|soma|count|anzahl";
const sums = new RegExp(`^((grand|sub|sous|zwischen)[- ]?)?(${words})\\s*([:\\d].*)?$`, "iu");
/** In a list without categories, only these words are sums: the others may be names. */
const ofAnyList = /^(totals?|summe|gesamt|insgesamt|anzahl)/i;

/** Whether most cells of a column are words. */
export function hasWordsAt(column: number, sample: Sample): boolean {
	const texts = sample.map((cells) => cells[column] ?? "").filter((text) => /\S/.test(text));
	return texts.filter(isWord).length * 2 > texts.length;
}

/** Finds rows that are no animals. In a table whose categories are numbers, "Total" may be an animal's name. */
export function otherRowFinder(heading: readonly string[], { at }: Columns, sample: Sample) {
	const hasWords = hasWordsAt(at.categoryId, sample);
	const isBlankAt = (cells: readonly string[], column: number) => !/\S/.test(cells[column] ?? "");
	return (cells: readonly string[]): boolean => {
		if (heading.every((name, index) => name === (cells[index]?.trim() ?? ""))) return true;
		const first = cells.findIndex((cell) => /\S/.test(cell));
		const text = cells[first]?.trim() ?? "";
		if (/^# /.test(text)) return first === at.name || isBlankAt(cells, at.name) || isBlankAt(cells, at.categoryId);
		const isAlone = cells.every((cell, index) => index === first || !/\S/.test(cell));
		// A heading of a section, such as "DOGS" or "Hunde", in a list without categories.
		if (at.categoryId === -1 && heading.length > 1 && isAlone && isKind(text))
			return text === text.toUpperCase() || /(s|en|de)$/.test(text);
		if (!sums.test(text) || cells.slice(first + 1).some((other) => isWord(other))) return false;
		return at.categoryId === -1 ? ofAnyList.test(text) : hasWords || isBlankAt(cells, at.categoryId);
	};
}
