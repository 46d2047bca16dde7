// Splits text into lines, and a JSON array of any size into its elements, without parsing them. A record has at most
// 65,536 characters, so that a huge one uses little memory.

import { bodyMaxBytes } from "../contract/limits.ts";
import { FileError } from "./encoding.ts";

/** A longer record could not be sent. */
export const recordMaxLength = bodyMaxBytes;

export interface RecordPlace {
	/** The line of its first character, from 1. */
	line: number;
	/** The row as a spreadsheet counts them: a cell with line breaks is in one row. */
	row: number;
	isTooLong: boolean;
}

export interface PetRecord extends RecordPlace {
	/** Empty when the record is too long. */
	text: string;
}

/** The lines that are not blank. */
export async function* lineRecords(texts: AsyncIterable<string>): AsyncGenerator<PetRecord[]> {
	let line = 0;
	/** The start of a line whose end has not come yet. If it is too long, its text is dropped. */
	let rest = "";
	let isDropped = false;
	function endLine(end: string): PetRecord {
		const whole = rest + end;
		const text = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
		const isTooLong = isDropped || text.length > recordMaxLength;
		line++;
		rest = "";
		isDropped = false;
		return { line, row: line, text: isTooLong ? "" : text, isTooLong };
	}
	for await (const text of texts) {
		const lines = text.split("\n");
		const last = lines.pop() ?? "";
		yield lines.map(endLine).filter(isNotBlank);
		rest += last;
		isDropped ||= rest.length > recordMaxLength + 1;
		if (isDropped) rest = "";
	}
	yield [endLine("")].filter(isNotBlank);
}

function isNotBlank({ text, isTooLong }: PetRecord): boolean {
	return isTooLong || /\S/.test(text);
}

const [open, close, openObject, closeObject, comma, quote, backslash, newline] = new TextEncoder().encode('[]{},"\\\n');

/**
 * The elements of one JSON array. Only strings and brackets are recognised; the JSON parser checks each element.
 * @throws FileError for text before or after the array, for a missing element, and for a missing end
 */
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
