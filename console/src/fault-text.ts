// The labels of an animal's fields, and messages about an invalid entry, cell or JSON field.

import { int64FromDecimal } from "../../src/contract/json.ts";
import { type NewPet, petStatuses } from "../../src/contract/pet.ts";
import { digitsOf, type Fault } from "../../src/contract/validate.ts";
import { capitalized } from "./edits.ts";

export const labels: Record<keyof NewPet, string> = { name: "Name", categoryId: "Category", status: "Status" };

const nameMax = 255;
const list = new Intl.ListFormat("en", { type: "disjunction" });

/** The last sentence for a field is about JSON: after the other checks, only the quotes can be wrong. */
const sentences: Partial<Record<string, (text: string) => string>> = {
	name(text) {
		if (text.trim() === "") return "Enter a name";
		if (Array.from(text).length > nameMax) return `A name has at most ${nameMax} characters`;
		if (/[\p{Cc}\p{Cs}]/u.test(text)) return "A name is one line, without control characters";
		return "Write the name in quotes";
	},
	categoryId(text) {
		const digits = digitsOf(text);
		if (digits.trim() === "") return "Enter a category, such as 4";
		if (!/^-?\d+$/.test(digits)) return "A category is a whole number, such as 4";
		const isTooLarge = int64FromDecimal(digits) === undefined;
		return isTooLarge ? "This number is too large for a category" : "Write the category without quotes";
	},
	status: (text) => `“${text.slice(0, 40)}” is not a status: ${list.format(petStatuses)}`,
};

export function describeFault({ field = "", problem, detail }: Fault, text: string): string {
	const sentence = /\bmust be\b/.test(problem) && sentences[field];
	if (sentence) return sentence(text);
	return capitalized(`${field} ${problem}${detail === undefined ? "" : `: ${detail}`}`.trim());
}
