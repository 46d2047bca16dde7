// Fields, numbers and failures in words for people.

import { ApiError, NoReply } from "../../../client/src/index.ts";
import type { NewPet, Pet } from "../../../src/contract/pet.ts";

export const labels: Record<keyof NewPet, string> = { name: "Name", categoryId: "Category", status: "Status" };

/** Numbers and times are written as is usual in the browser's language. */
export const digits = new Intl.NumberFormat();
export const countOf = (count: number) => (count === 1 ? "1 animal" : `${digits.format(count)} animals`);

export const listOf = (words: string[]) => new Intl.ListFormat("en").format(words);

export const stateOf = (status: Pet["status"]) => status ?? "not set";

/** A name, shortened for use in a sentence: names may have 255 characters. */
export function shortName(name: string): string {
	const letters = [...name];
	return letters.length > 32 ? `${letters.slice(0, 31).join("")}…` : name;
}

export const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

export const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Sentences for codes whose messages are written for programs. */
const sentences: { [Code in ApiError["code"]]?: string } = {
	insufficient_scope: "This key may not do that.",
	internal_error: "Something failed in the server. Report it to whoever runs it.",
	invalid_cursor: "The address is incomplete, or older than the last restore of the animals.",
	rate_limited: "Too many requests with this key.",
};

export function sentenceOf(failure: unknown): string {
	const known = failure instanceof ApiError && sentences[failure.code];
	if (known) return known;
	if (failure instanceof ApiError) return `${capitalized(failure.message)}.`;
	if (failure instanceof NoReply) return "The server does not answer.";
	return `Something went wrong in the console: ${failure instanceof Error ? failure.message : failure}.`;
}
