// Finds the array of animals in an object such as `{"animals": [{…}]}`. Many programs reply with such objects.

import { tryParseJson } from "../contract/json.ts";
import { findColumns } from "./columns.ts";

/** Where the array is in the text of the object. */
export interface Wrapper {
	/** The position of the array's opening bracket; the object begins at 0. */
	at: number;
	/** The number of objects around the array. */
	depth: number;
}

const signs = /[[\]{}]|"(?:[^"\\]|\\.)*"?/gs;

/**
 * The first array of objects in an object that is the whole file. Undefined if there is none, if more objects follow
 * (NDJSON), or if the object itself has the fields of an animal.
 * @param head the start of the file, or all of it
 */
export function findWrapper(head: string): Wrapper | undefined {
	let found: Wrapper | undefined;
	let [depth, arrays] = [0, 0];
	for (const { 0: sign, index } of head.matchAll(signs)) {
		if (sign === "[" && arrays === 0 && /^\s*\{/.test(head.slice(index + 1, index + 1000)))
			found ??= { at: index, depth };
		if (sign === "[") arrays++;
		else if (sign === "]") arrays--;
		else if (sign === "{") depth++;
		else if (sign === "}") depth--;
		if (depth > 0) continue;
		const hasMore = /\S/.test(head.slice(index + 1));
		return hasMore || isAnimal(head.slice(0, index + 1)) ? undefined : found;
	}
	return found;
}

/** Whether the object is an animal. An animal, too, may have a list of objects with names, such as photos. */
function isAnimal(text: string): boolean {
	const { value } = tryParseJson(text);
	const names = Object.entries(Object(value)).flatMap(([name, own]) => (typeof own === "object" ? [] : [name]));
	const { missing } = findColumns(names);
	const item = Object(firstItem(value, nestedMax));
	return missing.length === 0 || (!missing.includes("name") && findColumns(Object.keys(item)).missing.length > 0);
}

/** No program nests lists deeper. */
const nestedMax = 50;

function firstItem(value: unknown, depth: number): unknown {
	if (Array.isArray(value)) return value.find((item) => Object(item) === item);
	if (Object(value) !== value || depth === 0) return undefined;
	return Object.values(value as object)
		.map((own) => firstItem(own, depth - 1))
		.find((item) => item !== undefined);
}

/** Whether the text after the array ends the objects around the array, and has no other array of objects. */
export function isEndOf({ depth }: Wrapper, text: string): boolean {
	const { value, error } = tryParseJson(`${'{"":'.repeat(depth)}[]${text}`);
	return error === undefined && firstItem(value, nestedMax) === undefined;
}
