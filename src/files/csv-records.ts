// Splits CSV into records and their cells. A quote opens a quoted cell only at the start of a cell. The next quote that
// is not doubled closes the cell if a delimiter or the end of the line follows. All other quotes are text: spreadsheets
// put `Rex "the King"`, `12"` and `"Rex" the King` on the clipboard unchanged. On the clipboard, they quote only cells
// with line breaks, and no cell contains a tab. So a quoted text with a line break and a tab is not one cell, but two
// rows, each with one quote. A file is refused if its last quote opens a cell, because the end of that cell may be
// missing.

import { FileError } from "./encoding.ts";
import { type RecordPlace, recordMaxLength, tooLong } from "./records.ts";

export interface CsvRecord extends RecordPlace {
	cells: string[];
}

/** The records that are not blank. @throws FileError at an unclosed quote or a long record, after all records before */
export async function* csvRecords(texts: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord[]> {
	const scan = startScan(delimiter);
	for await (const text of texts) {
		readText(scan, text);
		yield scan.found.splice(0);
		if (scan.failure) throw scan.failure;
	}
	readText(scan, "\n");
	yield scan.found;
	if (scan.open !== "") refuseQuote(scan);
	if (scan.failure) throw scan.failure;
}

/** Matches a quoted cell, the lines of a quoted cell that is not closed yet, or an unquoted cell. */
function cellPattern(delimiter: string): RegExp {
	const without = (character: string) => `[^"${character}]*(?:""[^"${character}]*)*`;
	const quoted = delimiter === "\t" ? `${without("\n")}|${without("\t")}` : without("");
	return new RegExp(`"(${quoted})(?:"(?=[${delimiter}\n])|($))|[^${delimiter}\n]*`, "y");
}

/** The position in the file, and the parts of the current record that are read so far. */
function startScan(delimiter: string) {
	return {
		delimiter,
		cell: cellPattern(delimiter),
		line: 1,
		row: 1,
		cells: [] as string[],
		/** The characters in the record's cells so far, with a delimiter after each cell, and their line breaks. */
		size: 0,
		breaks: 0,
		/** The lines of a quoted cell that is not closed yet. */
		open: "",
		/** The start of a line whose end is not read yet. */
		rest: "",
		/** The records that ended in this piece of the file. */
		found: [] as CsvRecord[],
		failure: undefined as FileError | undefined,
	};
}
type Scan = ReturnType<typeof startScan>;

function readText(scan: Scan, text: string): void {
	const end = text.lastIndexOf("\n") + 1;
	if (end > 0) {
		const whole = scan.open + (scan.rest + text.slice(0, end)).replaceAll("\r\n", "\n");
		scan.open = scan.rest = "";
		for (let at = 0; at < whole.length && !scan.failure; ) at = readCell(scan, whole, at);
	}
	scan.rest += text.slice(end);
	// A line may have one character more than a record: the carriage return at its end.
	if (scan.size + scan.open.length + scan.rest.length > recordMaxLength + 1) scan.failure ??= tooLong(scan.line);
}

/** @returns where the next cell begins */
function readCell(scan: Scan, text: string, at: number): number {
	const { cell } = scan;
	cell.lastIndex = at;
	const [whole = "", quoted, open] = cell.exec(text) ?? [];
	const lastBreak = whole.lastIndexOf("\n");
	if (lastBreak !== -1 && scan.size + lastBreak > recordMaxLength) refuseQuote(scan);
	if (open !== undefined) {
		scan.open = whole;
		return text.length;
	}
	scan.cells.push(quoted?.replaceAll('""', '"') ?? whole);
	scan.size += whole.length + 1;
	if (lastBreak !== -1) scan.breaks += whole.split("\n").length - 1;
	if (text[cell.lastIndex] === "\n") endRecord(scan);
	return cell.lastIndex + 1;
}

function endRecord(scan: Scan): void {
	const { line, row, cells, size, breaks, delimiter } = scan;
	// `size` is one too large, because no delimiter follows the last cell.
	if (size > recordMaxLength + 1) scan.failure ??= tooLong(line);
	else if (/\S/.test(cells.join(delimiter))) scan.found.push({ line, row, cells });
	scan.line += breaks + 1;
	scan.row++;
	scan.cells = [];
	scan.size = scan.breaks = 0;
}

function refuseQuote(scan: Scan): void {
	const fix = 'close it, or write a cell that begins with a quote as """text"';
	const problem = `a quote opens here and is not closed within ${recordMaxLength} characters: ${fix}`;
	scan.failure ??= new FileError(problem, scan.line);
	scan.open = "";
}
