// The lines that an import could not add, with the reason for each, in a file beside the one imported: mended, it is imported
// like any other.

import { closeSync, openSync, writeSync } from "node:fs";
import { parseJson } from "../../contract/json.ts";
import { csv, type Format } from "./pet-formats.ts";
import type { PetRow } from "./pet-rows.ts";

export interface Rejected {
	path: string;
	count: number;
	/** One at a time is soon enough: these are few, or the whole file is wrong. */
	add(row: PetRow, reason: string): void;
	close(): void;
}

/** The file comes with the first rejected line, over one of an earlier import. */
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

function csvLines({ line, given }: PetRow, reason: string, isFirst: boolean): string {
	if (typeof given === "string") return "";
	const { cells, columns } = given;
	// Cells beyond the last column stay: they are what has to be mended.
	const kept = cells.filter((_cell, index) => !isOurs(columns[index]));
	const header = ["line", "reason", ...columns.filter((column) => !isOurs(column))];
	return csv([...(isFirst ? [header] : []), [String(line), reason, ...kept]]);
}

function isOurs(column: string | undefined): boolean {
	return column === "line" || column === "reason";
}

/** What an earlier import wrote at the end of the line. */
const earlier = /,?"line":\d+,"reason":"(?:[^"\\]|\\.)*"(?=\}$)/;

/** Numbers stay as they were written: the object is not read and written anew. */
function jsonLine({ line }: PetRow, given: string, reason: string): string {
	const ours = `"line":${line},"reason":${JSON.stringify(reason)}`;
	// In an array, an object may go over several lines; its strings cannot.
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
