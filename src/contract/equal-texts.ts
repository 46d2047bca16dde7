// Two functions decide which texts are equal. `foldedText` is for Find, headings and words for a status. `comparedName`
// keeps accents and is for names of categories. Databases fold texts, too, with the tables of this file.

/**
 * Ranges for a regular expression: the accents of Latin, Greek and Cyrillic letters, and variation selectors. Marks of
 * other scripts are not in these ranges, because those marks are letters, such as vowels.
 */
export const accents =
	"\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u2de0-\u2dff\ua66f-\ua672" +
	"\ua674-\ua67d\ua69e\ua69f\ufe00-\ufe0f\ufe20-\ufe2f";

/** Replacements for small letters that Unicode does not decompose, and for dashes and apostrophes that phones type. */
export const replaced: readonly (readonly [letter: string, by: string])[] = Object.entries({
	...{ ł: "l", ø: "o", đ: "d", ð: "d", ı: "i", ħ: "h", ς: "σ", æ: "ae", œ: "oe", þ: "th", ß: "ss" },
	...{ "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-" },
	...{ "’": "'", "‘": "'", ʼ: "'", "′": "'", "`": "'" },
});
/** An apostrophe that is replaced first, because NFKD would decompose it to a blank and an accent. */
export const acute = "´";

const anyAccent = new RegExp(`[${accents}]`, "gu");
const replacements = new Map(replaced);
const anyReplaced = new RegExp(`[${[...replacements.keys()].join("")}]`, "g");

/** The text in lower case and without accents. Characters with several forms, such as dashes, get the same form. */
export function foldedText(text: string): string {
	const plain = text.replaceAll(acute, "'").normalize("NFKD").replace(anyAccent, "").toLowerCase();
	return plain.replace(anyReplaced, (letter) => replacements.get(letter) ?? letter).normalize("NFC");
}

/** Returns the same text for category names that differ only in Unicode's form, case and white space. */
export function comparedName(name: string): string {
	return name.toLowerCase().replaceAll("ς", "σ").normalize("NFC").trim().replace(/\s+/g, " ");
}
