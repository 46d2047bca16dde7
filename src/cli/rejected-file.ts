// The file of rows that an import could not add, with the reason for each. After fixing, it can be imported.

import { closeSync, openSync, writeSync } from "node:fs";
import type { FileKind } from "../files/file-kind.ts";
import { rejectedFormat, rejectedRow } from "../files/rejected-rows.ts";
import type { FileRow } from "../files/rows.ts";

export interface RejectedFile {
	path: string;
	count: number;
	/** Writes one row at once: rejected rows are few, or the whole file is wrong. */
	add(row: FileRow, reason: string): void;
	close(): void;
}

/** The first rejected row creates the file and replaces that of an earlier import. */
export function rejectedFile(name: string, kind: FileKind): RejectedFile {
	const path = `${name}.rejected.${rejectedFormat(kind)}`;
	let file: number | undefined;
	return {
		path,
		count: 0,
		add(row, reason) {
			const isFirst = file === undefined;
			file ??= openSync(path, "w");
			writeSync(file, rejectedRow(row, reason, kind, isFirst));
			this.count++;
		},
		close() {
			if (file !== undefined) closeSync(file);
		},
	};
}
