// Writes rows that could not be added in the format of their file, with the reason of each and its line, or its row in
// a sheet. After fixing, the text can be imported: `line` and `reason` are ignored then, except in rows that may have
// been added.

import { parseJson } from "../contract/json.ts";
import type { UnknownCreate } from "./creates.ts";
import { csv, type FileKind } from "./formats.ts";
import type { FileRow, Given } from "./rows.ts";

/** @param isFirst whether the text begins with this row: CSV needs a header then */
export function rejectedRow(
	{ line, row, given, faults }: FileRow,
	why: string,
	{ delimiter, sheet }: FileKind,
	isFirst: boolean,
): string {
	// A row that may have been added has to be looked up, also after its faults are fixed.
	const reason = (faults && noReplyReasonOf(given)) ?? why;
	if (typeof given === "string") return jsonLine(line, given, reason);
	const { cells, columns } = given;
	// Cells beyond the last column stay, because the user has to fix them.
	const kept = cells.filter((_cell, index) => !isOurs(columns[index]));
	const header = ["line", "reason", ...columns.filter((column) => !isOurs(column))];
	return csv([...(isFirst ? [header] : []), [String(sheet === undefined ? line : row), reason, ...kept]], delimiter);
}

/** The format of rejected rows: those of an array become lines, which can be written one by one. */
export function rejectedFormat({ format }: FileKind): "csv" | "ndjson" {
	return format === "csv" ? "csv" : "ndjson";
}

function isOurs(column: string | undefined): boolean {
	return column === "line" || column === "reason";
}

/** The line and reason that an earlier import added at the end. */
const earlier = /,?"line":\d+,"reason":"((?:[^"\\]|\\.)*)"(?=\}$)/;

const noReply = "no reply: it may have been added";

/** The reason for a row whose create got no reply. The import of the rejected rows looks it up. */
export function describeUnknown({ after, equals }: UnknownCreate): string {
	if (after === undefined) return noReply;
	return `${noReply} with an id above ${after}${equals > 0 ? `, beside ${equals} equal` : ""}`;
}

function noReplyReasonOf(given: Given): string | undefined {
	const isText = typeof given === "string";
	const reason = isText ? earlier.exec(given.trim())?.[1] : given.cells[given.columns.indexOf("reason")];
	return reason?.startsWith(noReply) ? reason : undefined;
}

/** @returns undefined for a row without such a reason */
export function unknownCreateOf({ pet, given }: FileRow): UnknownCreate | undefined {
	const reason = noReplyReasonOf(given);
	if (!pet || reason === undefined) return undefined;
	const [, after, equals = "0"] = / above (\d+)(?:, beside (\d+) equal)?$/.exec(reason) ?? [];
	return { pet, after: after === undefined ? undefined : BigInt(after), equals: Number(equals) };
}

/** The reason for a row that was looked up and not found. An import adds a row with this reason. */
export const missingReason = "no reply, and not found: import this row if it is not in the list";

/** Appends to the text of the object, so that numbers stay as they were written. */
function jsonLine(line: number, given: string, reason: string): string {
	const ours = `"line":${line},"reason":${JSON.stringify(reason)}`;
	// In an array, an object may span several lines, but its strings may not.
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
