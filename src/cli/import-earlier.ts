// Rows that another file has added: the command shows them and asks before it sends anything.

import { hash } from "node:crypto";
import { basename } from "node:path";
import { digestDigits } from "../contract/console.ts";
import { describeFound, type EarlierRows } from "../files/earlier-rows.ts";
import { exampleOf, type FileRow, type ReadOptions, readRows } from "../files/rows.ts";
import type { ImportFile } from "./import-file.ts";
import type { Checked } from "./import-report.ts";
import { countOf } from "./output.ts";

/** Adds a question to `checked` about the rows that another file has added, unless the person has decided already. */
export function askEarlier(earlier: EarlierRows, checked: Checked, options: ReadOptions): void {
	if (earlier.found.size === 0 || earlier.isDecided) return;
	const examples = earlier.first.map((row) => exampleOf(row, options));
	const of = countOf(checked.animals + checked.unclear, "row");
	const text = `${describeFound(earlier, { of, examples })}; --add-existing adds them once more`;
	checked.questions.push({ text, flags: ["--skip-existing"] });
}

/** The rows of the file. The search for earlier rows and the import use the same rows. */
export function rowsToSend(file: ImportFile, repeated: ReadonlySet<number>, options: ReadOptions) {
	return {
		rows: readRows(file.source, file.kind, options),
		file: { file: nameOf(file), digest: file.digest.slice(0, digestDigits) },
		hash: (text: string) => hash("sha256", text),
		isWanted: ({ number }: FileRow) => !repeated.has(number),
	};
}

/** The file's name, which later imports show: its last 255 characters, without control characters. */
function nameOf({ name }: ImportFile): string {
	return basename(name)
		.replace(/\p{Cc}/gu, " ")
		.slice(-255);
}
