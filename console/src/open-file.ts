// A chosen file, and the sentences about failures to read one.

import { FileError } from "../../src/files/encoding.ts";
import type { FileKind, Source } from "../../src/files/formats.ts";
import { ColumnError, type Preview } from "../../src/files/rows.ts";
import { capitalized } from "./edits.ts";
import { sentenceOf } from "./notes.tsx";

/** Rows below the heading. */
export const previewed = 8;

export interface OpenFile {
	name: string;
	source: Source;
	kind: FileKind;
	preview: Preview;
	/** The sheets of a workbook, and how to read another. */
	sheets?: { names: string[]; open(sheet: string): void };
}

/** The sentence of a failure of the file, with its line. */
export function describe(failure: unknown): string {
	if (!(failure instanceof FileError)) return sentenceOf(failure);
	if (failure instanceof ColumnError && /^no column/.test(failure.message))
		return "Choose in the menus above the columns which one holds the name, and which the category.";
	return failure.line === undefined ? `${capitalized(failure.message)}.` : `Line ${failure.line}: ${failure.message}.`;
}
