// The elements of one JSON array, cut out without holding the array: any size of file, 64 KiB of memory for an element. Only
// strings and brackets are understood; what an element says is for the JSON parser.

import { Refusal } from "../sentences.ts";
import { type PetRecord, recordMaxBytes } from "./pet-records.ts";

const [open, close, openObject, closeObject, comma, quote, backslash, newline] = Buffer.from('[]{},"\\\n');

/** @throws Refusal for what is no array: something before or behind it, a missing element, no end */
export async function* jsonElements(chunks: AsyncIterable<Buffer>): AsyncGenerator<PetRecord[]> {
	const scan = startScan();
	for await (const chunk of chunks) {
		scan.found = [];
		for (const byte of chunk) take(scan, byte);
		yield scan.found;
	}
	if (scan.place !== "behind") throw broken(scan, scan.isInString ? "the file ends in a string" : "its end is missing");
}

/** Where in the file a scan is, and the element it is in. */
interface Scan {
	line: number;
	/** Of the array. */
	place: "before" | "inside" | "behind";
	/** Brackets that are open inside the element. */
	depth: number;
	isInString: boolean;
	isEscaped: boolean;
	/** Whether a comma promised another element. */
	isElementDue: boolean;
	/** The line of the element's first byte; 0 until there is one. */
	elementLine: number;
	/** The element's bytes so far, which are `length` of them. */
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

function take(scan: Scan, byte: number): void {
	if (scan.isInString) takeInString(scan, byte);
	else if (scan.place === "inside") takeInArray(scan, byte);
	else if (scan.place === "before" && byte === open) scan.place = "inside";
	else if (!isBlank(byte)) throw broken(scan, `there is something ${scan.place} it`);
	if (byte === newline) scan.line++;
}

function takeInString(scan: Scan, byte: number): void {
	if (byte === newline) throw broken(scan, "a string goes over the end of the line");
	if (scan.isEscaped) scan.isEscaped = false;
	else if (byte === backslash) scan.isEscaped = true;
	else if (byte === quote) scan.isInString = false;
	keep(scan, byte);
}

function takeInArray(scan: Scan, byte: number): void {
	if (scan.depth === 0 && (byte === comma || byte === close)) {
		endElement(scan, byte === close);
		return;
	}
	if (byte === quote) scan.isInString = true;
	else if (byte === open || byte === openObject) scan.depth++;
	else if (byte === close || byte === closeObject) scan.depth--;
	if (scan.elementLine > 0 || !isBlank(byte)) keep(scan, byte);
	if (scan.depth < 0) throw broken(scan, "a bracket closes that never opened");
}

/** What is longer than can be sent is read on, but not kept. */
function keep(scan: Scan, byte: number): void {
	if (scan.elementLine === 0) scan.elementLine = scan.line;
	if (scan.length === recordMaxBytes) scan.isTooLong = true;
	else scan.held[scan.length++] = byte;
}

function endElement(scan: Scan, isLast: boolean): void {
	const { elementLine, held, length, isTooLong, isElementDue } = scan;
	const isEmpty = elementLine === 0;
	if (isEmpty && (!isLast || isElementDue)) throw broken(scan, "an element is missing beside a comma");
	if (!isEmpty) {
		const bytes = Buffer.from(held.subarray(0, isTooLong ? 0 : length));
		scan.found.push({ line: elementLine, bytes, isTooLong });
	}
	scan.elementLine = 0;
	scan.length = 0;
	scan.isTooLong = false;
	scan.isElementDue = !isLast;
	if (isLast) scan.place = "behind";
}

function broken({ line }: Scan, why: string): Refusal {
	return new Refusal(`line ${line}: this is no JSON array: ${why}`);
}

function isBlank(byte: number): boolean {
	return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
