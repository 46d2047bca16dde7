// Writes the rows that an import could not add to a file, with the reason for each. After fixing, the file can be
// imported.

import { closeSync, openSync, writeSync } from "node:fs";
import { parseJson } from "../../contract/json.ts";
import type { FileRow } from "./file-rows.ts";
import { csv, type Format } from "./pet-formats.ts";

export interface Rejected {
	path: string;
	count: number;
	/** Writes one row at once: rejected rows are few, or the whole file is wrong. */
	add(row: FileRow, reason: string): void;
	close(): void;
}

/** The first rejected row creates the file and replaces that of an earlier import. */
export function rejectedFile(name: string, format: Format): Rejected {
	const path = `${name}.rejected.${format === "csv" ? "csv" : "ndjson"}`;
	let file: number | undefined;
	return {
		path,
		count: 0,
		add(row, reason) {
			const isFirst = file === undefined;
			file ??= openSync(path, "w");
			writeSync(
				file,
				typeof row.given === "string" ? jsonLine(row, row.given, reason) : csvLines(row, reason, isFirst),
			);
			this.count++;
		},
		close() {
			if (file !== undefined) closeSync(file);
		},
	};
}

function csvLines({ line, given }: FileRow, reason: string, isFirst: boolean): string {
	if (typeof given === "string") return "";
	const { cells, columns } = given;
	// Cells beyond the last column stay, because the user has to fix them.
	const kept = cells.filter((_cell, index) => !isOurs(columns[index]));
	const header = ["line", "reason", ...columns.filter((column) => !isOurs(column))];
	return csv([...(isFirst ? [header] : []), [String(line), reason, ...kept]]);
}

function isOurs(column: string | undefined): boolean {
	return column === "line" || column === "reason";
}

/** The line and reason that an earlier import added at the end. */
const earlier = /,?"line":\d+,"reason":"(?:[^"\\]|\\.)*"(?=\}$)/;

/** Appends to the text of the object, so that numbers stay as they were written. */
function jsonLine({ line }: FileRow, given: string, reason: string): string {
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
