// Splits a JSON array of any size into its elements, and holds at most 65,536 characters of an element. It recognises
// only strings and brackets; the JSON parser checks each element.

import { FileError } from "./encoding.ts";
import { type PetRecord, recordMaxLength } from "./records.ts";

const [open, close, openObject, closeObject, comma, quote, backslash, newline] = new TextEncoder().encode('[]{},"\\\n');

/** @throws FileError for text that is not one array: text before or after it, a missing element, no end */
export async function* jsonElements(texts: AsyncIterable<string>): AsyncGenerator<PetRecord[]> {
	let line = 1;
	/** Relative to the array. */
	let place = "before" as "before" | "inside" | "after";
	/** The number of open brackets in the element. */
	let depth = 0;
	let isInString = false;
	let isEscaped = false;
	/** Whether the last element ended with a comma. */
	let isElementDue = false;
	let element: PetRecord | undefined;
	/** Where the text of the element that is not kept yet begins in the piece of the file. */
	let start = 0;
	let found: PetRecord[] = [];
	const broken = (why: string) => new FileError(`this is not a JSON array: ${why}`, line);

	function scanInString(code: number): void {
		if (code === newline) throw broken("a string contains a line break");
		isInString = isEscaped || code !== quote;
		isEscaped = !isEscaped && code === backslash;
	}

	function scanInArray(code: number, at: number): void {
		if (!element && !isBlank(code)) {
			element = { line, row: line, text: "", isTooLong: false };
			start = at;
		}
		if (code === quote) isInString = true;
		else if (code === open || code === openObject) depth++;
		else if ((code === close || code === closeObject) && --depth < 0)
			throw broken("a closing bracket has no opening one");
	}

	/** Drops the text of an element that is too long to be sent. */
	function keep(text: string, end: number): void {
		if (!element) return;
		if (!element.isTooLong) element.text += text.slice(start, end);
		if (element.text.length > recordMaxLength) element = { ...element, text: "", isTooLong: true };
		start = 0;
	}

	function endElement(isLast: boolean): void {
		if (element) found.push(element);
		else if (!isLast || isElementDue) throw broken("an element is missing before or after a comma");
		element = undefined;
		isElementDue = !isLast;
		if (isLast) place = "after";
	}

	for await (const text of texts) {
		for (let at = 0; at < text.length; at++) {
			const code = text.charCodeAt(at);
			if (isInString) scanInString(code);
			else if (place === "inside" && depth === 0 && (code === comma || code === close)) {
				keep(text, at);
				endElement(code === close);
			} else if (place === "inside") scanInArray(code, at);
			else if (place === "before" && code === open) place = "inside";
			else if (!isBlank(code)) throw broken(`there is text ${place} the array`);
			if (code === newline) line++;
		}
		keep(text, text.length);
		yield found;
		found = [];
	}
	if (place !== "after") throw broken(isInString ? "the file ends inside a string" : "the closing bracket is missing");
}

function isBlank(code: number): boolean {
	return code === 0x20 || code === 0x09 || code === newline || code === 0x0d;
}
