// A chosen file, and the messages if a file cannot be read.

import { ColumnError } from "../../../src/files/columns.ts";
import { FileError, isArchive } from "../../../src/files/encoding.ts";
import { blobSource, detectKind, type FileKind, type Source } from "../../../src/files/formats.ts";
import { ImportFailure } from "../../../src/files/import-request.ts";
import type { Preview } from "../../../src/files/rows.ts";
import { later } from "../parts/later.ts";
import { capitalized, sentenceOf } from "../parts/sentences.ts";

const noImports = "This server accepts no imports: it is too old, or a proxy blocks /console/imports.";

/** The number of rows that are shown below the heading. */
export const previewed = 8;

export interface OpenFile {
	name: string;
	source: Source;
	kind: FileKind;
	preview: Preview;
	/** The names of a workbook's sheets. `open` reads one sheet or, without a name, all sheets with the same heading. */
	sheets?: { names: string[]; open(sheet: string | undefined): void };
}

const loadWorkbooks = later(() => import("../../../src/files/workbook.ts"));

export async function readTable(blob: Blob, sheet: string | undefined) {
	if (isArchive(new Uint8Array(await blob.slice(0, 4).arrayBuffer()))) {
		const { readWorkbook } = await loadWorkbooks();
		const { source, kind, sheets } = await readWorkbook(blob, sheet);
		return { source, kind, names: sheets };
	}
	const source = blobSource(blob);
	return { source, kind: await detectKind(source), names: undefined };
}

/** The message for a failure to read or import the file, with the line if it is known. */
export function describe(failure: unknown): string {
	if (failure instanceof ImportFailure && failure.kind === "missing") return noImports;
	if (failure instanceof ImportFailure)
		return failure.hasReply ? `${capitalized(failure.message)}.` : "The server does not answer.";
	if (!(failure instanceof FileError)) return sentenceOf(failure);
	if (failure instanceof ColumnError && failure.missing.length > 0)
		return "In the menus above the columns, choose which column holds the name and which holds the category.";
	if (failure instanceof ColumnError) return `${capitalized(failure.message)}. Choose one in the menus above.`;
	return failure.line === undefined ? `${capitalized(failure.message)}.` : `Line ${failure.line}: ${failure.message}.`;
}
