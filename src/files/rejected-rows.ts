// Writes rows that were not added, in the format of their file, each with the reason and its line (in a sheet, its
// row). After fixing, the text can be imported: an import ignores `line` and `reason`, except the key of a row that was
// sent, so that no row is added twice.

import { tryParseJson } from "../contract/json.ts";
import { csv, type FileKind } from "./formats.ts";
import type { FileRow } from "./rows.ts";

/** @param isFirst true if the text begins with this row: CSV then needs a header */
export function rejectedRow(
	{ line, row, given }: FileRow,
	reason: string,
	{ delimiter, sheet }: FileKind,
	isFirst: boolean,
): string {
	if (typeof given === "string") return jsonLine(line, given, reason);
	const { cells, columns } = given;
	// Cells beyond the last column stay, because the user has to fix them.
	const kept = cells.filter((_cell, index) => !isOurs(columns[index]));
	const header = ["line", "reason", ...columns.filter((column) => !isOurs(column))];
	return csv([...(isFirst ? [header] : []), [String(sheet === undefined ? line : row), reason, ...kept]], delimiter);
}

/** The format of rejected rows: the rows of an array become lines, which can be written one by one. */
export function rejectedFormat({ format }: FileKind): "csv" | "ndjson" {
	return format === "csv" ? "csv" : "ndjson";
}

function isOurs(column: string | undefined): boolean {
	return column === "line" || column === "reason";
}

/** The line and reason that an earlier import added at the end. */
const earlier = /,?"line":\d+,"reason":"((?:[^"\\]|\\.)*)"(?=\}$)/;

/** Adds to a reason the key with which its row was sent. */
export function withKey(reason: string, key: string | undefined): string {
	return key === undefined ? reason : `${reason} (${key})`;
}

/** The key with which an earlier import has sent this row, if any. */
export function keyOfRejected({ given }: FileRow): string | undefined {
	const isText = typeof given === "string";
	const reason = isText ? earlier.exec(given.trim())?.[1] : given.cells[given.columns.indexOf("reason")];
	return /\(([0-9a-f]{16}-\d+(?:-\d+)?)\)$/.exec(reason ?? "")?.[1];
}

/** Appends to the text of the object, so that numbers stay as they were written. */
function jsonLine(line: number, given: string, reason: string): string {
	const ours = `"line":${line},"reason":${JSON.stringify(reason)}`;
	// In an array, an object may span several lines, but its strings may not.
	const text = given
		.trim()
		.replace(/[\r\n]+/g, " ")
		.replace(earlier, "");
	if (!text.startsWith("{") || tryParseJson(text).error !== undefined)
		return `{${ours},"text":${JSON.stringify(given)}}\n`;
	return `${text.slice(0, -1)}${/^\{\s*\}$/.test(text) ? "" : ","}${ours}}\n`;
}
