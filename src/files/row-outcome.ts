// What a row is: an animal, or its faults and the words in it whose meaning is unknown.

import type { NewPet, PetStatus } from "../contract/pet.ts";
import type { Checked, Fault } from "../contract/validate.ts";
import { isWord, plainValue, type Values, type WordField, type Words } from "./values.ts";

export type Outcome =
	| { pet: NewPet; faults?: undefined; unknown?: undefined }
	/** `unknown`: the texts in place of a status and a category that are faults and may be words. */
	| { pet?: undefined; faults: Fault[]; unknown?: Words };

/** Fields of a row whose values may be words. */
type MaybeWords = { [Field in WordField]?: unknown };

/** Checks the fields, with the meanings of the words among them. */
export function outcomeOf<Fields extends MaybeWords>(
	check: (fields: Fields) => Checked<NewPet>,
	fields: Fields,
	values: Values = {},
): Outcome {
	const checked = check({ ...fields, ...meantBy(fields, values) });
	if (!checked.faults) return { pet: checked.value };
	const unknown = unknownWords(fields, checked.faults, values);
	return { faults: checked.faults, ...(unknown && { unknown }) };
}

/** The fields that are words with a meaning, or blank where that means none. */
function meantBy({ status, categoryId }: MaybeWords, values: Values): MaybeWords {
	const meant: MaybeWords = {};
	const state = typeof status === "string" || status === null ? statusOf(status ?? "", values) : undefined;
	if (state !== undefined) meant.status = state ?? undefined;
	const isName = values.categoryId && typeof categoryId === "string" && isWord(categoryId);
	const category = isName ? values.categoryId?.get(plainValue(categoryId)) : undefined;
	if (category !== undefined) meant.categoryId = category ?? undefined;
	return meant;
}

/** @returns null for none, as a blank text means unless it has a meaning; undefined if nobody has given one */
function statusOf(text: string, values: Values): PetStatus | null | undefined {
	const known = values.status?.get(plainValue(text));
	return known === undefined && text.trim() === "" ? null : known;
}

function unknownWords({ status, categoryId }: MaybeWords, faults: Fault[], values: Values): Words | undefined {
	const isFault = (field: WordField) => faults.some((fault) => fault.field === field);
	const words: Words = {};
	if (typeof status === "string" && isFault("status")) words.status = status;
	const isUnknown = (text: string) => isWord(text) && !values.categoryId?.has(plainValue(text));
	if (typeof categoryId === "string" && isFault("categoryId") && isUnknown(categoryId)) words.categoryId = categoryId;
	return Object.keys(words).length > 0 ? words : undefined;
}
