// Splits a file of animals into records (lines or CSV records) without parsing them. A record is at most 64 KiB, so a
// huge line or an unclosed quote uses little memory.

import { bodyMaxBytes } from "../../contract/operations.ts";
import { CommandError } from "../command-error.ts";

/** A longer record could not be sent. */
export const recordMaxBytes = bodyMaxBytes;

export interface PetRecord {
	/** The line of its first byte, from 1. */
	line: number;
	/** Empty when the record is too long. */
	bytes: Buffer;
	isTooLong: boolean;
}

type Chunks = AsyncIterable<Buffer>;

const newline = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;

interface Line extends PetRecord {
	/** Whether the line has an odd number of quotes. */
	turnsQuote: boolean;
}

/** The lines that are not blank. */
export async function* lineRecords(chunks: Chunks): AsyncGenerator<PetRecord[]> {
	for await (const lines of linesOf(chunks)) yield lines.filter(isNotBlank);
}

/** One record per line; a quoted field may span several lines. @throws CommandError for an unclosed quote */
export async function* csvRecords(chunks: Chunks): AsyncGenerator<PetRecord[]> {
	let open: Line | undefined;
	for await (const lines of linesOf(chunks)) {
		const records: PetRecord[] = [];
		for (const line of lines) {
			open = open ? joinLines(open, line) : line;
			if (open.turnsQuote) {
				if (open.isTooLong) throw unclosedQuote(open.line);
				continue;
			}
			if (isNotBlank(open)) records.push(open);
			open = undefined;
		}
		yield records;
	}
	if (open) throw unclosedQuote(open.line);
}

function unclosedQuote(line: number): CommandError {
	const problem = `a quote opens here and is not closed within ${recordMaxBytes / 1024} KiB`;
	return new CommandError(`line ${line}: ${problem}: close it, or double it if it is part of the text`);
}

function joinLines(first: Line, second: Line): Line {
	const bytes = Buffer.concat([first.bytes, Buffer.from("\n"), second.bytes]);
	const turnsQuote = first.turnsQuote !== second.turnsQuote;
	return { line: first.line, bytes, isTooLong: second.isTooLong || bytes.length > recordMaxBytes, turnsQuote };
}

function isNotBlank({ bytes, isTooLong }: PetRecord): boolean {
	return isTooLong || bytes.some((byte) => byte > 0x20);
}

async function* linesOf(chunks: Chunks): AsyncGenerator<Line[]> {
	let current = startLine(1);
	for await (const chunk of chunks) {
		const lines: Line[] = [];
		let start = 0;
		for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
			current.add(chunk.subarray(start, end));
			lines.push(current.end());
			current = startLine(current.number + 1);
			start = end + 1;
		}
		current.add(chunk.subarray(start));
		yield lines;
	}
	yield [current.end()];
}

/** Collects the pieces of one line, and drops them when the line is too long. */
function startLine(number: number) {
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
		end(): Line {
			const [only = Buffer.alloc(0)] = pieces;
			const whole = pieces.length < 2 ? only : Buffer.concat(pieces);
			const bytes = whole.at(-1) === carriageReturn ? whole.subarray(0, -1) : whole;
			return { line: number, bytes, isTooLong: size > recordMaxBytes, turnsQuote: quotes % 2 === 1 };
		},
	};
}
