// Rows of a table that are no animals: sums, comments, and the heading on each printed page.

import type { Columns, Sample } from "./columns.ts";
import { isWord } from "./values.ts";

/** Words with which sums begin, in English, German, French, Spanish and Portuguese. */
const words = "totals?|totales|sum|summe|gesamt|insgesamt|somme|suma|soma|count|anzahl";
const sums = new RegExp(`^((grand|sub|sous|zwischen)[- ]?)?(${words})(?!\\p{L})`, "iu");

/** Finds rows that are no animals. In a table whose categories are numbers, "Total" may be an animal's name. */
export function otherRowFinder(heading: readonly string[], { at }: Columns, sample: Sample) {
	const categories = sample.map((cells) => cells[at.categoryId] ?? "").filter((text) => /\S/.test(text));
	const hasWords = categories.filter(isWord).length * 2 > categories.length;
	return (cells: readonly string[]): boolean => {
		if (heading.every((name, index) => name === (cells[index]?.trim() ?? ""))) return true;
		const first = cells.findIndex((cell) => /\S/.test(cell));
		if (/^\s*# /.test(cells[first] ?? "")) return true;
		if (!sums.test(cells[first]?.trim() ?? "") || cells.slice(first + 1).some((text) => isWord(text))) return false;
		return hasWords || (cells[at.categoryId] ?? "").trim() === "";
	};
}
