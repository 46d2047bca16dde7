// Splits a JSON array of any size into its elements, and holds at most 65,536 characters of an element. It recognises
// only strings and brackets; the JSON parser checks each element.

import { FileError } from "./encoding.ts";
import { type PetRecord, recordMaxLength } from "./records.ts";

const [open, close, openObject, closeObject, comma, quote, backslash, newline] = new TextEncoder().encode('[]{},"\\\n');

/** @throws FileError for text that is not one array: text before or after it, a missing element, no end */
export async function* jsonElements(texts: AsyncIterable<string>): AsyncGenerator<PetRecord[]> {
	const scan = startScan();
	for await (const text of texts) {
		scan.found = [];
		scan.text = text;
		scan.keptTo = 0;
		for (scan.at = 0; scan.at < text.length; scan.at++) scanCharacter(scan, text.charCodeAt(scan.at));
		keepTo(scan, text.length);
		yield scan.found;
	}
	if (scan.place !== "after")
		throw brokenArray(scan, scan.isInString ? "the file ends inside a string" : "the closing bracket is missing");
}

type Scan = ReturnType<typeof startScan>;

/** The position of a scan in the file, and the element it is in. */
function startScan() {
	return {
		line: 1,
		/** Relative to the array. */
		place: "before" as "before" | "inside" | "after",
		/** The number of open brackets in the element. */
		depth: 0,
		isInString: false,
		isEscaped: false,
		/** Whether the last element ended with a comma. */
		isElementDue: false,
		/** The line of the element's first character; 0 before it. */
		elementLine: 0,
		/** The element up to `keptTo`. */
		held: "",
		isTooLong: false,
		/** The piece of the file that is being scanned, and the positions in it. */
		text: "",
		at: 0,
		keptTo: 0,
		/** The elements that ended in this piece. */
		found: [] as PetRecord[],
	};
}

function scanCharacter(scan: Scan, code: number): void {
	if (scan.isInString) scanInString(scan, code);
	else if (scan.place === "inside") scanInArray(scan, code);
	else if (scan.place === "before" && code === open) scan.place = "inside";
	else if (!isBlank(code)) throw brokenArray(scan, `there is text ${scan.place} the array`);
	if (code === newline) scan.line++;
}

function scanInString(scan: Scan, code: number): void {
	if (code === newline) throw brokenArray(scan, "a string contains a line break");
	if (scan.isEscaped) scan.isEscaped = false;
	else if (code === backslash) scan.isEscaped = true;
	else if (code === quote) scan.isInString = false;
}

function scanInArray(scan: Scan, code: number): void {
	if (scan.depth === 0 && (code === comma || code === close)) {
		endElement(scan, code === close);
		return;
	}
	if (scan.elementLine === 0 && !isBlank(code)) {
		scan.elementLine = scan.line;
		scan.keptTo = scan.at;
	}
	if (code === quote) scan.isInString = true;
	else if (code === open || code === openObject) scan.depth++;
	else if (code === close || code === closeObject) scan.depth--;
	if (scan.depth < 0) throw brokenArray(scan, "a closing bracket has no opening one");
}

/** Drops the text of an element that is too long to be sent. */
function keepTo(scan: Scan, end: number): void {
	if (scan.elementLine === 0) return;
	if (!scan.isTooLong) scan.held += scan.text.slice(scan.keptTo, end);
	scan.keptTo = end;
	if (scan.held.length <= recordMaxLength) return;
	scan.isTooLong = true;
	scan.held = "";
}

function endElement(scan: Scan, isLast: boolean): void {
	keepTo(scan, scan.at);
	const { elementLine: line, held: text, isTooLong, isElementDue } = scan;
	const isEmpty = line === 0;
	if (isEmpty && (!isLast || isElementDue)) throw brokenArray(scan, "an element is missing before or after a comma");
	if (!isEmpty) scan.found.push({ line, row: line, text, isTooLong });
	scan.elementLine = 0;
	scan.held = "";
	scan.isTooLong = false;
	scan.isElementDue = !isLast;
	if (isLast) scan.place = "after";
}

function brokenArray({ line }: Scan, why: string): FileError {
	return new FileError(`this is not a JSON array: ${why}`, line);
}

function isBlank(code: number): boolean {
	return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}
