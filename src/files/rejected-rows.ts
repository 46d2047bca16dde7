// Writes rows that were not added, in the format of their file, each with the reason and its line (in a sheet, its
// row). After fixing, the text can be imported: an import ignores `line` and `reason`.

import { tryParseJson } from "../contract/json.ts";
import { csv, type FileKind } from "./formats.ts";
import type { FileRow } from "./rows.ts";

/** @param isFirst true if the text begins with this row: CSV then needs a header */
export function rejectedRow(
	{ line, row, given }: FileRow,
	reason: string,
	{ delimiter, sheet, sheets }: FileKind,
	isFirst: boolean,
): string {
	const { cells, columns, text } = given;
	if (text !== undefined) return jsonLine(line, text, reason);
	// Cells beyond the last column stay, because the user has to fix them.
	const own = cells.filter((_cell, index) => !isOfRejection(columns[index]));
	const header = ["line", "reason", ...columns.filter((column) => !isOfRejection(column))];
	return csv(
		[...(isFirst ? [header] : []), [String(sheet === undefined && !sheets ? line : row), reason, ...own]],
		delimiter,
	);
}

/** The format of rejected rows. Rows of a JSON array become lines (NDJSON), which can be written one by one. */
export function rejectedFormat({ format }: FileKind): "csv" | "ndjson" {
	return format === "csv" ? "csv" : "ndjson";
}

/** Whether an import has added this column to the rows that it rejected. */
export function isOfRejection(column: string | undefined): boolean {
	return column === "line" || column === "reason";
}

/** The line and reason that an earlier import added at the end. */
const earlier = /,?"line":\d+,"reason":"(?:[^"\\]|\\.)*"(?=\}$)/;

/** Appends the line and the reason to the object's text, so that numbers stay as they were written. */
function jsonLine(line: number, given: string, reason: string): string {
	const ours = `"line":${line},"reason":${JSON.stringify(reason)}`;
	// An object of an array may span several lines. A line break is never in a string, so a blank can replace it.
	const text = given
		.trim()
		.replace(/[\r\n]+/g, " ")
		.replace(earlier, "");
	if (!text.startsWith("{") || tryParseJson(text).error !== undefined)
		return `{${ours},"text":${JSON.stringify(given)}}\n`;
	return `${text.slice(0, -1)}${/^\{\s*\}$/.test(text) ? "" : ","}${ours}}\n`;
}
