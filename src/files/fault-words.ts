// Messages about an invalid entry, cell or JSON field, in words for people.

import { petStatuses } from "../contract/pet.ts";
import { digitsOf, type Fault, integerOfText } from "../contract/validate.ts";
import { columnsOf, type FileRow, textsOf } from "./rows.ts";
import { isNothing, isWord } from "./values.ts";

const nameMax = 255;

const sentences: Partial<Record<string, (text: string) => string>> = {
	name(text) {
		if (text.trim() === "") return "Enter a name";
		if (Array.from(text).length > nameMax) return `A name has at most ${nameMax} characters`;
		return "A name is one line, without control characters";
	},
	categoryId(text) {
		const digits = digitsOf(text);
		if (digits.trim() === "") return "Enter a category, such as 4";
		const isWhole = /^-?\d+$/.test(digits);
		if (isWhole && integerOfText(digits) !== undefined) return "No category has this number: enter its name";
		return isWhole ? "This number is too large for a category" : "A category is a whole number, such as 4";
	},
	status: (text) =>
		`“${text.slice(0, 40)}” is not a status: ${petStatuses.slice(0, -1).join(", ")}, or ${petStatuses.at(-1)}`,
};

/** The message about a field of an animal. @param text the value of the field, as the person or the file wrote it */
export function describeFault({ field = "", problem, detail }: Fault, text: string): string {
	const sentence = /\bmust be\b/.test(problem) && sentences[field];
	if (sentence) return sentence(text);
	return inCase("toUpperCase", `${field} ${problem}${detail === undefined ? "" : `: ${detail}`}`.trim());
}

const inCase = (change: "toUpperCase" | "toLowerCase", text: string) => text.charAt(0)[change]() + text.slice(1);

/** What is wrong with a row of a file: a sentence for each field. */
export function describeRow(row: FileRow, faults: readonly Fault[]): string[] {
	return tellRow(row, faults).map(({ sentence }) => sentence);
}

function tellRow({ given }: FileRow, faults: readonly Fault[]) {
	const texts = textsOf(given);
	return faults.map((fault) => {
		const field = fault.field as keyof typeof texts;
		const text = texts[field]?.trim() ?? "";
		const isName = field === "categoryId" && isWord(text) && !isNothing(text);
		const sentence = isName
			? `“${text.slice(0, 40)}” is not a category`
			: describeFault(fault, isNothing(text) ? "" : (texts[field] ?? ""));
		return { field, text, sentence };
	});
}

/** All sentences about a row in one text, with the names of its columns, and with values that no sentence quotes. */
export function describeInFile(row: FileRow, faults: readonly Fault[]): string {
	const columns = columnsOf(row.given);
	// An unknown word that may still be mapped is reported only if the row has no other fault.
	const others = faults.filter(({ field = "" }) => !(field in (row.unknown ?? {})));
	const sentences = tellRow(row, others.length > 0 ? others : faults).map(({ field, text, sentence }) => {
		const [column, shown] = [columns[field]?.replace(/\s+/g, " "), text.slice(0, 40)];
		if (column === undefined) return inCase("toLowerCase", sentence);
		// Values of JSON are not shown, because a number that was rounded would differ from the file.
		const isShown = text === "" || (row.given.text === undefined && !sentence.includes(shown));
		if (!isShown) return `${JSON.stringify(column)}: ${sentence}`;
		const value = text === "" ? "is empty" : `is ${JSON.stringify(shown)}`;
		return `${JSON.stringify(column)} ${value}: ${inCase("toLowerCase", sentence)}`;
	});
	return sentences.join("; ");
}
