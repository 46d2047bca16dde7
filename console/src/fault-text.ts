// What is wrong with an entry or a cell, in words for people. The service's own rule is the text for every other field.

import type { NewPet } from "../../src/contract/pet.ts";
import { describeFaults, type Fault } from "../../src/contract/validate.ts";

const nameMax = 255;

const sentences: Partial<Record<keyof NewPet, (text: string) => string>> = {
	name(text) {
		if (text.trim() === "") return "Enter a name";
		const isLong = Array.from(text).length > nameMax;
		return isLong ? `A name has at most ${nameMax} characters` : "A name is one line, without control characters";
	},
	categoryId(text) {
		if (text.trim() === "") return "Enter a category, such as 4";
		const isWhole = /^-?\d+$/.test(text.trim());
		return isWhole ? "This number is too large for a category" : "A category is a whole number, such as 4";
	},
	status: (text) => `“${text.slice(0, 40)}” is not a status: available, pending or sold`,
};

/** @param text what was entered; undefined if that is not known */
export function describeFault(fault: Fault, text: string | undefined): string {
	const sentence = sentences[fault.field as keyof NewPet];
	return sentence && text !== undefined ? sentence(text) : describeFaults([fault]);
}
