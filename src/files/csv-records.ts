// Splits CSV into records and their cells. A quote opens a quoted cell only at the start of a cell. The next quote that
// is not doubled closes the cell if a delimiter or the end of the line follows. All other quotes are text, because
// spreadsheet programs put `Rex "the King"`, `12"` and `"Rex" the King` on the clipboard unchanged. On the clipboard,
// these programs quote only cells with line breaks, and no cell contains a tab. So if a line break and a tab are
// between two quotes, both quotes are text, and two rows are read. A file is refused if its last quote opens a cell,
// because the end of that cell may be missing.

import { FileError } from "./encoding.ts";
import { type RecordPlace, recordMaxLength, tooLong } from "./records.ts";

export interface CsvRecord extends RecordPlace {
	cells: string[];
}

/** The records that are not blank. @throws FileError at an unclosed quote or a long record, after those before it */
export async function* csvRecords(texts: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord[]> {
	const cell = cellPattern(delimiter);
	let line = 1;
	let row = 1;
	/** The lines of the current record, whose last cell is not closed yet. */
	let open = "";
	/** The start of a line whose end is not read yet. */
	let rest = "";
	let failure = undefined as FileError | undefined;

	function read(text: string): CsvRecord[] {
		const found: CsvRecord[] = [];
		const end = text.lastIndexOf("\n") + 1;
		const lines = end === 0 ? "" : open + (rest + text.slice(0, end)).replaceAll("\r\n", "\n");
		rest = end === 0 ? rest + text : text.slice(end);
		let start = 0;
		let breaks = 1;
		let cells: string[] = [];
		for (let at = 0; at < lines.length && !failure; at = cell.lastIndex + 1) {
			cell.lastIndex = at;
			const [whole = "", quoted, openEnd] = cell.exec(lines) ?? [];
			const lastBreak = whole.lastIndexOf("\n");
			if (lastBreak !== -1 && at + lastBreak - start > recordMaxLength) failure = unclosedQuote(line);
			if (openEnd !== undefined) break;
			cells.push(quoted?.replaceAll('""', '"') ?? whole);
			if (lastBreak !== -1) breaks += whole.split("\n").length - 1;
			if (lines[cell.lastIndex] !== "\n") continue;
			if (cell.lastIndex - start > recordMaxLength) failure ??= tooLong(line);
			else if (/\S/.test(cells.join(delimiter))) found.push({ line, row, cells });
			line += breaks;
			row++;
			start = cell.lastIndex + 1;
			breaks = 1;
			cells = [];
		}
		if (end > 0) open = lines.slice(start);
		// A line may have one character more than a record: the carriage return at its end.
		if (open.length + rest.length > recordMaxLength + 1) failure ??= tooLong(line);
		return found;
	}

	for await (const text of texts) {
		yield read(text);
		if (failure) throw failure;
	}
	yield read("\n");
	if (open !== "") failure ??= unclosedQuote(line);
	if (failure) throw failure;
}

/** Matches a quoted cell, the lines of a quoted cell that is not closed yet, or an unquoted cell. */
function cellPattern(delimiter: string): RegExp {
	const without = (character: string) => `[^"${character}]*(?:""[^"${character}]*)*`;
	const quoted = delimiter === "\t" ? `${without("\n")}|${without("\t")}` : without("");
	// Blanks before a quote are skipped only after a delimiter, because programs write `"Rex", "Dog"`.
	return new RegExp(`(?:(?<=${delimiter}) +)?"(${quoted})(?:"(?=[${delimiter}\n])|($))|[^${delimiter}\n]*`, "y");
}

function unclosedQuote(line: number): FileError {
	const fix = 'close it, or write a cell that begins with a quote as """text"';
	return new FileError(`a quote opens here and is not closed within ${recordMaxLength} characters: ${fix}`, line);
}
