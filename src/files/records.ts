// Splits text into lines, and a JSON array of any size into its elements, without parsing them. A file with a record of
// more than 65,536 characters is refused, so that huge files use little memory.

import { bodyMaxBytes } from "../contract/limits.ts";
import { FileError } from "./encoding.ts";

/** A longer record could not be sent. */
export const recordMaxLength = bodyMaxBytes;

export interface RecordPlace {
	/** The line of the record's first character, from 1. */
	line: number;
	/** The row number in a spreadsheet, where a cell with line breaks takes only one row. */
	row: number;
}

export interface PetRecord extends RecordPlace {
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

const [open, close, openObject, closeObject, comma, quote, backslash, newline] = new TextEncoder().encode('[]{},"\\\n');

/**
 * The elements of one JSON array. Only strings and brackets are recognised; the JSON parser checks each element.
 * @throws FileError for text before or after the array, for a missing or too long element, and for a missing end
 */
export async function* jsonElements(texts: AsyncIterable<string>): AsyncGenerator<PetRecord[]> {
	let line = 1;
	/** The position relative to the array. */
	let place = "before" as "before" | "inside" | "after";
	/** The number of open brackets in the element. */
	let depth = 0;
	let isInString = false;
	let isEscaped = false;
	/** Whether the last element ended with a comma. */
	let isElementDue = false;
	let element: PetRecord | undefined;
	/** Where the current element's text begins in this piece of the file; 0 if it began in an earlier piece. */
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
			element = { line, row: line, text: "" };
			start = at;
		}
		if (code === quote) isInString = true;
		else if (code === open || code === openObject) depth++;
		else if ((code === close || code === closeObject) && --depth < 0)
			throw broken("a closing bracket has no opening one");
	}

	function keep(text: string, end: number): void {
		if (!element) return;
		element.text += text.slice(start, end);
		if (element.text.length > recordMaxLength) throw tooLong(element.line);
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
