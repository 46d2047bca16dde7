// Splits text into records (lines or CSV records) without parsing them, and CSV records into cells. A record has at
// most 65,536 characters, so a huge line or an unclosed quote uses little memory.

import { bodyMaxBytes } from "../contract/limits.ts";
import { FileError } from "./encoding.ts";

/** A longer record could not be sent. */
export const recordMaxLength = bodyMaxBytes;

export interface PetRecord {
	/** The line of its first character, from 1. */
	line: number;
	/** The row as a spreadsheet counts them: a cell with line breaks is in one row. */
	row: number;
	/** Empty when the record is too long. */
	text: string;
	isTooLong: boolean;
}

type Texts = AsyncIterable<string>;

interface Line extends PetRecord {
	/** Whether the line has an odd number of quotes, also where its text was dropped. */
	turnsQuote: boolean;
}

/** The lines that are not blank. */
export async function* lineRecords(texts: Texts): AsyncGenerator<PetRecord[]> {
	for await (const lines of linesOf(texts)) yield lines.filter(isNotBlank);
}

/** One record per line; a quoted cell may span several lines. @throws FileError for an unclosed quote */
export async function* csvRecords(texts: Texts): AsyncGenerator<PetRecord[]> {
	let open: Line | undefined;
	let joined = 0;
	for await (const lines of linesOf(texts)) {
		const records: PetRecord[] = [];
		for (const line of lines) {
			if (open) joined++;
			open = open ? joinLines(open, line) : { ...line, row: line.line - joined };
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

function joinLines(first: Line, second: Line): Line {
	const text = `${first.text}\n${second.text}`;
	const isTooLong = second.isTooLong || text.length > recordMaxLength;
	return { ...first, text, isTooLong, turnsQuote: first.turnsQuote !== second.turnsQuote };
}

function unclosedQuote(line: number): FileError {
	const problem = `a quote opens here and is not closed within ${recordMaxLength} characters`;
	return new FileError(`${problem}: close it, or double it if it is part of the text`, line);
}

function isNotBlank({ text, isTooLong }: PetRecord): boolean {
	return isTooLong || /[^\s]/.test(text);
}

async function* linesOf(texts: Texts): AsyncGenerator<Line[]> {
	let line = 1;
	let rest = startRest();
	for await (const text of texts) {
		const lines: Line[] = [];
		let start = 0;
		for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
			lines.push(endLine(rest, line++, text.slice(start, end)));
			if (rest.text !== "" || rest.isDropped) rest = startRest();
			start = end + 1;
		}
		keepRest(rest, text.slice(start));
		yield lines;
	}
	yield [endLine(rest, line, "")];
}

/** The start of a line whose end has not come yet. */
interface Rest {
	text: string;
	/** Whether text was dropped, because the line is too long. */
	isDropped: boolean;
	/** Whether the dropped text has an odd number of quotes. */
	turnsQuote: boolean;
}

function startRest(): Rest {
	return { text: "", isDropped: false, turnsQuote: false };
}

function keepRest(rest: Rest, text: string): void {
	rest.text += text;
	if (rest.text.length <= recordMaxLength + 1) return;
	rest.isDropped = true;
	rest.turnsQuote = rest.turnsQuote !== hasOddQuotes(rest.text);
	rest.text = "";
}

function endLine(rest: Rest, line: number, end: string): Line {
	const whole = rest.text + end;
	const text = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
	const isTooLong = rest.isDropped || text.length > recordMaxLength;
	const turnsQuote = rest.turnsQuote !== hasOddQuotes(whole);
	return { line, row: line, text: isTooLong ? "" : text, isTooLong, turnsQuote };
}

function hasOddQuotes(text: string): boolean {
	let isOdd = false;
	for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) isOdd = !isOdd;
	return isOdd;
}

/** The cells of one record of CSV. @returns undefined when a quote is neither doubled nor around a whole cell */
export function cellsOf(record: string, delimiter: string): string[] | undefined {
	if (!record.includes('"')) return record.split(delimiter);
	const cells: string[] = [];
	for (let at = 0; ; at++) {
		const { cell, end } = record[at] === '"' ? quotedCell(record, at) : plainCell(record, at, delimiter);
		if (cell === undefined) return undefined;
		cells.push(cell);
		at = end;
		if (at === record.length) return cells;
		if (record[at] !== delimiter) return undefined;
	}
}

/** A cell, undefined when its quotes are broken, and where it ends. */
interface Cell {
	cell: string | undefined;
	end: number;
}

function plainCell(record: string, start: number, delimiter: string): Cell {
	const found = record.indexOf(delimiter, start);
	const end = found === -1 ? record.length : found;
	const cell = record.slice(start, end);
	return { cell: cell.includes('"') ? undefined : cell, end };
}

function quotedCell(record: string, start: number): Cell {
	let end = record.indexOf('"', start + 1);
	while (end !== -1 && record[end + 1] === '"') end = record.indexOf('"', end + 2);
	if (end === -1) return { cell: undefined, end };
	return { cell: record.slice(start + 1, end).replaceAll('""', '"'), end: end + 1 };
}
