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

/** The start of a line whose end has not come yet. If it is too long, its text is dropped, and its quotes count. */
const startRest = () => ({ text: "", isDropped: false, turnsQuote: false });
type Rest = ReturnType<typeof startRest>;

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
	const next = new RegExp(`"([^"]*(?:""[^"]*)*)"|[^"${delimiter}]*`, "y");
	for (const cells: string[] = []; ; next.lastIndex++) {
		const [plain = "", quoted] = next.exec(record) ?? [];
		cells.push(quoted?.replaceAll('""', '"') ?? plain);
		if (next.lastIndex === record.length) return cells;
		if (record[next.lastIndex] !== delimiter) return undefined;
	}
}
