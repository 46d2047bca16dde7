// Writes rows that could not be added in the format of their file, with the line and the reason of each. After fixing,
// the text can be imported: `line` and `reason` are ignored then.

import { parseJson } from "../contract/json.ts";
import type { FileKind } from "./file-kind.ts";
import { csv } from "./pet-formats.ts";
import type { FileRow } from "./rows.ts";

/** @param isFirst whether the text begins with this row: CSV needs a header then */
export function rejectedRow(
	{ line, given }: FileRow,
	reason: string,
	{ delimiter }: FileKind,
	isFirst: boolean,
): string {
	if (typeof given === "string") return jsonLine(line, given, reason);
	const { cells, columns } = given;
	// Cells beyond the last column stay, because the user has to fix them.
	const kept = cells.filter((_cell, index) => !isOurs(columns[index]));
	const header = ["line", "reason", ...columns.filter((column) => !isOurs(column))];
	return csv([...(isFirst ? [header] : []), [String(line), reason, ...kept]], delimiter);
}

/** The extension of such a text: an array becomes lines, which can be written one by one. */
export function rejectedFormat({ format }: FileKind): "csv" | "ndjson" {
	return format === "csv" ? "csv" : "ndjson";
}

function isOurs(column: string | undefined): boolean {
	return column === "line" || column === "reason";
}

/** The line and reason that an earlier import added at the end. */
const earlier = /,?"line":\d+,"reason":"(?:[^"\\]|\\.)*"(?=\}$)/;

/** Appends to the text of the object, so that numbers stay as they were written. */
function jsonLine(line: number, given: string, reason: string): string {
	const ours = `"line":${line},"reason":${JSON.stringify(reason)}`;
	// In an array, an object may span several lines; its strings may not.
	const text = given
		.trim()
		.replace(/[\r\n]+/g, " ")
		.replace(earlier, "");
	if (!isObject(text)) return `{${ours},"text":${JSON.stringify(given)}}\n`;
	return `${text.slice(0, -1)}${/^\{\s*\}$/.test(text) ? "" : ","}${ours}}\n`;
}

function isObject(text: string): boolean {
	try {
		parseJson(text);
		return text.startsWith("{");
	} catch {
		return false;
	}
}
