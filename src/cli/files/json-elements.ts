// Splits a JSON array into its elements without loading it: a file of any size, 64 KiB of memory for an element. It
// reads only strings and brackets; the JSON parser checks each element.

import { CommandError } from "../command-error.ts";
import { type PetRecord, recordMaxBytes } from "./pet-records.ts";

const [open, close, openObject, closeObject, comma, quote, backslash, newline] = Buffer.from('[]{},"\\\n');

/** @throws CommandError for text that is not one array: text before or after it, a missing element, no end */
export async function* jsonElements(chunks: AsyncIterable<Buffer>): AsyncGenerator<PetRecord[]> {
	const scan = startScan();
	for await (const chunk of chunks) {
		scan.found = [];
		for (const byte of chunk) scanByte(scan, byte);
		yield scan.found;
	}
	if (scan.place !== "after")
		throw brokenArray(scan, scan.isInString ? "the file ends inside a string" : "the closing bracket is missing");
}

/** The position of a scan in the file, and the element it is in. */
interface Scan {
	line: number;
	/** Relative to the array. */
	place: "before" | "inside" | "after";
	/** The number of open brackets in the element. */
	depth: number;
	isInString: boolean;
	isEscaped: boolean;
	/** Whether the last element ended with a comma. */
	isElementDue: boolean;
	/** The line of the element's first byte; 0 before it. */
	elementLine: number;
	/** The first `length` bytes are those of the element so far. */
	held: Buffer;
	length: number;
	isTooLong: boolean;
	/** The elements that ended in this chunk. */
	found: PetRecord[];
}

function startScan(): Scan {
	return {
		line: 1,
		place: "before",
		depth: 0,
		isInString: false,
		isEscaped: false,
		isElementDue: false,
		elementLine: 0,
		held: Buffer.alloc(recordMaxBytes),
		length: 0,
		isTooLong: false,
		found: [],
	};
}

function scanByte(scan: Scan, byte: number): void {
	if (scan.isInString) scanInString(scan, byte);
	else if (scan.place === "inside") scanInArray(scan, byte);
	else if (scan.place === "before" && byte === open) scan.place = "inside";
	else if (!isBlank(byte)) throw brokenArray(scan, `there is text ${scan.place} the array`);
	if (byte === newline) scan.line++;
}

function scanInString(scan: Scan, byte: number): void {
	if (byte === newline) throw brokenArray(scan, "a string contains a line break");
	if (scan.isEscaped) scan.isEscaped = false;
	else if (byte === backslash) scan.isEscaped = true;
	else if (byte === quote) scan.isInString = false;
	keep(scan, byte);
}

function scanInArray(scan: Scan, byte: number): void {
	if (scan.depth === 0 && (byte === comma || byte === close)) {
		endElement(scan, byte === close);
		return;
	}
	if (byte === quote) scan.isInString = true;
	else if (byte === open || byte === openObject) scan.depth++;
	else if (byte === close || byte === closeObject) scan.depth--;
	if (scan.elementLine > 0 || !isBlank(byte)) keep(scan, byte);
	if (scan.depth < 0) throw brokenArray(scan, "a closing bracket has no opening one");
}

/** Drops the bytes beyond the largest element that can be sent. */
function keep(scan: Scan, byte: number): void {
	if (scan.elementLine === 0) scan.elementLine = scan.line;
	if (scan.length === recordMaxBytes) scan.isTooLong = true;
	else scan.held[scan.length++] = byte;
}

function endElement(scan: Scan, isLast: boolean): void {
	const { elementLine, held, length, isTooLong, isElementDue } = scan;
	const isEmpty = elementLine === 0;
	if (isEmpty && (!isLast || isElementDue)) throw brokenArray(scan, "an element is missing before or after a comma");
	if (!isEmpty) {
		const bytes = Buffer.from(held.subarray(0, isTooLong ? 0 : length));
		scan.found.push({ line: elementLine, bytes, isTooLong });
	}
	scan.elementLine = 0;
	scan.length = 0;
	scan.isTooLong = false;
	scan.isElementDue = !isLast;
	if (isLast) scan.place = "after";
}

function brokenArray({ line }: Scan, why: string): CommandError {
	return new CommandError(`line ${line}: this is not a JSON array: ${why}`);
}

function isBlank(byte: number): boolean {
	return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
