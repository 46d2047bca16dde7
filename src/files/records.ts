// Splits text into lines, and a JSON array of any size into its elements, without parsing them. A file with a record of
// more than 65,536 characters is refused, so that huge files use little memory.

import { bodyMaxBytes } from "../contract/limits.ts";
import { FileError } from "./encoding.ts";
import { isEndOf, type Wrapper } from "./json-wrapper.ts";

/** A longer record could not be sent. */
export const recordMaxLength = bodyMaxBytes;

export interface RecordPlace {
	/** The line of the record's first character, from 1. */
	line: number;
	/** The row number in a spreadsheet, where a cell with line breaks takes only one row. */
	row: number;
}

interface PetRecord extends RecordPlace {
	text: string;
}

export function tooLong(line: number): FileError {
	return new FileError(`longer than ${recordMaxLength} characters: shorten it, or close a quote in it`, line);
}

/** The lines that are not blank. @throws FileError for a line that is too long */
export async function* lineRecords(texts: AsyncIterable<string>): AsyncGenerator<PetRecord[]> {
	let line = 0;
	/** The start of a line whose end is not read yet. */
	let rest = "";
	function endLine(end: string): PetRecord {
		const text = (rest + end).replace(/\r$/, "");
		line++;
		rest = "";
		if (text.length > recordMaxLength) throw tooLong(line);
		return { line, row: line, text };
	}
	for await (const text of texts) {
		const lines = text.split("\n");
		const last = lines.pop() ?? "";
		yield lines.map(endLine).filter(isNotBlank);
		rest += last;
		// A line may have one character more than a record: the carriage return at its end.
		if (rest.length > recordMaxLength + 1) throw tooLong(line + 1);
	}
	yield [endLine("")].filter(isNotBlank);
}

function isNotBlank({ text }: PetRecord): boolean {
	return /\S/.test(text);
}

/** Matches a bracket, a comma, or a string. If a string is not closed, group 1 is the line break or the text's end. */
const signs = /[[\]{},]|"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*(?:"|\\?(\n|$))/g;

/**
 * The elements of one JSON array. Only strings and brackets are recognised; the JSON parser checks each element.
 * @throws FileError for text before or after the array, for a missing or too long element, and for a missing end
 */
export async function* jsonElements(texts: AsyncIterable<string>, wrapper?: Wrapper): AsyncGenerator<PetRecord[]> {
	const startAt = wrapper?.at ?? 0;
	/** The text after the last element. It begins on line `line`. */
	let rest = "";
	let line = 1;
	/** `due`: another element must follow, because a comma was read after the last one. */
	let position = "before" as "before" | "inside" | "due" | "after";
	let isInString = false;
	const broken = (why: string) => new FileError(`this is not a JSON array: ${why}`, line);

	/** Drops the start of the rest, and the blanks after it. */
	function drop(length: number): void {
		const end = length + rest.slice(length).search(/[^ \t\r\n]|$/);
		line += rest.slice(0, end).split("\n").length - 1;
		rest = rest.slice(end);
	}

	/** Where the element ends, at a comma or a closing bracket; -1 if its end is not read yet. */
	function findEnd(): number {
		let depth = 0;
		for (const { 0: sign, 1: end, index } of rest.matchAll(signs)) {
			isInString = end === "";
			if (depth === 0 && (sign === "," || sign === "]")) return index;
			if (sign === "[" || sign === "{") depth++;
			else if (sign === "]" || sign === "}") depth--;
			if (end !== "\n" && depth >= 0) continue;
			drop(index);
			throw broken(depth < 0 ? "a closing bracket has no opening one" : "a string contains a line break");
		}
		return -1;
	}

	for await (const text of texts) {
		const found: PetRecord[] = [];
		rest += text;
		drop(0);
		if (position === "before" && rest.length > startAt) {
			if (rest[startAt] !== "[") throw broken("there is text before the array");
			position = "inside";
			drop(startAt + 1);
		}
		while (position === "inside" || position === "due") {
			const end = findEnd();
			if ((end === -1 ? rest.length : end) > recordMaxLength) throw tooLong(line);
			if (end === -1) break;
			const isLast = rest[end] === "]";
			if (end > 0) found.push({ line, row: line, text: rest.slice(0, end) });
			else if (!isLast || position === "due") throw broken("an element is missing before or after a comma");
			position = isLast ? "after" : "due";
			drop(end + 1);
		}
		const isOver = position === "after" && rest.length > (wrapper ? recordMaxLength : 0);
		if (isOver) throw broken("there is text after the array");
		yield found;
	}
	if (position === "after" && wrapper && !isEndOf(wrapper, rest)) throw broken("other objects follow the array");
	drop(rest.length);
	if (position !== "after")
		throw broken(isInString ? "the file ends inside a string" : "the closing bracket is missing");
}
