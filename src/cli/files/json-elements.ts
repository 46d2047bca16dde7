// The elements of one JSON array, cut out without holding the array: any size of file, 64 KiB of memory for an element.

import { Refusal } from "../sentences.ts";
import { type PetRecord, recordMaxBytes } from "./pet-records.ts";

const [open, close, openObject, closeObject, comma, quote, backslash, newline] = Buffer.from('[]{},"\\\n');

/** @throws Refusal for what is no array: something before or behind it, a missing element, no end */
export async function* jsonElements(chunks: AsyncIterable<Buffer>): AsyncGenerator<PetRecord[]> {
	const scanner = createScanner();
	for await (const chunk of chunks) yield scanner.read(chunk);
	scanner.end();
}

function createScanner() {
	let line = 1;
	let place: "before" | "inside" | "behind" = "before";
	let depth = 0;
	let isInString = false;
	let isEscaped = false;
	let wantsMore = false;
	let element = emptyElement();
	const held = Buffer.alloc(recordMaxBytes);
	let found: PetRecord[] = [];

	const broken = (why: string) => new Refusal(`line ${line}: this is no JSON array: ${why}`);

	function finish(isLast: boolean): void {
		const isEmpty = element.line === 0;
		if (isEmpty && (!isLast || wantsMore)) throw broken("an element is missing beside a comma");
		const bytes = Buffer.from(held.subarray(0, element.isTooLong ? 0 : element.length));
		if (!isEmpty) found.push({ line: element.line, bytes, isTooLong: element.isTooLong });
		wantsMore = !isLast;
		element = emptyElement();
	}

	/** What is longer than can be sent is read on, but not kept. */
	function keep(byte: number): void {
		if (element.line === 0) element.line = line;
		if (element.length === recordMaxBytes) element.isTooLong = true;
		else held[element.length++] = byte;
	}

	function inString(byte: number): void {
		if (byte === newline) throw broken("a string goes over the end of the line");
		if (isEscaped) isEscaped = false;
		else if (byte === backslash) isEscaped = true;
		else if (byte === quote) isInString = false;
		keep(byte);
	}

	function inside(byte: number): void {
		if (depth === 0 && (byte === comma || byte === close)) {
			finish(byte === close);
			if (byte === close) place = "behind";
			return;
		}
		if (byte === quote) isInString = true;
		else if (byte === open || byte === openObject) depth++;
		else if (byte === close || byte === closeObject) depth--;
		if (element.line > 0 || !isBlank(byte)) keep(byte);
		if (depth < 0) throw broken("a bracket closes that never opened");
	}

	function take(byte: number): void {
		if (isInString) inString(byte);
		else if (place === "inside") inside(byte);
		else if (place === "before" && byte === open) place = "inside";
		else if (!isBlank(byte)) throw broken(`there is something ${place} it`);
		if (byte === newline) line++;
	}

	return {
		read(chunk: Buffer): PetRecord[] {
			found = [];
			for (const byte of chunk) take(byte);
			return found;
		},
		end(): void {
			if (place !== "behind") throw broken(isInString ? "the file ends in a string" : "its end is missing");
		},
	};
}

interface Element {
	/** 0 until its first byte. */
	line: number;
	length: number;
	isTooLong: boolean;
}

function emptyElement(): Element {
	return { line: 0, length: 0, isTooLong: false };
}

function isBlank(byte: number): boolean {
	return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
