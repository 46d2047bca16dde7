// A file of animals, cut into records without looking at what they say: lines, CSV records, elements of a JSON array. None is
// held beyond 64 KiB, so neither a huge line nor a quote that is never closed eats memory.

import { bodyMaxBytes } from "../../contract/operations.ts";
import { Refusal } from "../sentences.ts";

/** What cannot be sent need not be read. */
export const recordMaxBytes = bodyMaxBytes;

export interface PetRecord {
	/** Where it begins, from 1. */
	line: number;
	/** Empty when it is too long. */
	bytes: Buffer;
	isTooLong: boolean;
}

type Chunks = AsyncIterable<Buffer>;

const newline = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;

interface Line extends PetRecord {
	/** Whether a quote is open at its end that was not at its start. */
	turnsQuote: boolean;
}

/** The lines of a file that are not blank. */
export async function* lineRecords(chunks: Chunks): AsyncGenerator<PetRecord[]> {
	for await (const lines of linesOf(chunks)) yield lines.filter(isNotBlank);
}

/** Lines, except where a quoted field goes over several. @throws Refusal for a quote that nothing closes */
export async function* csvRecords(chunks: Chunks): AsyncGenerator<PetRecord[]> {
	let open: Line | undefined;
	for await (const lines of linesOf(chunks)) {
		const records: PetRecord[] = [];
		for (const line of lines) {
			open = open ? joined(open, line) : line;
			if (open.turnsQuote) {
				if (open.isTooLong) throw neverClosed(open.line);
				continue;
			}
			if (isNotBlank(open)) records.push(open);
			open = undefined;
		}
		yield records;
	}
	if (open) throw neverClosed(open.line);
}

function neverClosed(line: number): Refusal {
	return new Refusal(
		`line ${line}: a quote opens there and is not closed within ${recordMaxBytes / 1024} KiB: close it, or double it where it belongs to the text`,
	);
}

function joined(first: Line, second: Line): Line {
	const bytes = Buffer.concat([first.bytes, Buffer.from("\n"), second.bytes]);
	const turnsQuote = first.turnsQuote !== second.turnsQuote;
	return { line: first.line, bytes, isTooLong: second.isTooLong || bytes.length > recordMaxBytes, turnsQuote };
}

function isNotBlank({ bytes, isTooLong }: PetRecord): boolean {
	return isTooLong || bytes.some((byte) => byte > 0x20);
}

async function* linesOf(chunks: Chunks): AsyncGenerator<Line[]> {
	let held = hold(1);
	for await (const chunk of chunks) {
		const lines: Line[] = [];
		let start = 0;
		for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
			held.add(chunk.subarray(start, end));
			lines.push(held.line());
			held = hold(held.number + 1);
			start = end + 1;
		}
		held.add(chunk.subarray(start));
		yield lines;
	}
	yield [held.line()];
}

/** Pieces of one line, dropped once they are too many. */
function hold(number: number) {
	let pieces: Buffer[] = [];
	let size = 0;
	let quotes = 0;
	return {
		number,
		add(piece: Buffer): void {
			size += piece.length;
			for (let at = piece.indexOf(quote); at !== -1; at = piece.indexOf(quote, at + 1)) quotes++;
			if (size > recordMaxBytes) pieces = [];
			else pieces.push(piece);
		},
		line(): Line {
			const [only = Buffer.alloc(0)] = pieces;
			const whole = pieces.length < 2 ? only : Buffer.concat(pieces);
			const bytes = whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
			return { line: number, bytes, isTooLong: size > recordMaxBytes, turnsQuote: quotes % 2 === 1 };
		},
	};
}
