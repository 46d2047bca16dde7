// Reads a text as a file of animals.

import { describeFaults } from "../../src/contract/validate.ts";
import { describeKind, detectKind, type Source } from "../../src/files/formats.ts";
import { type FileRow, type ReadOptions, readRows } from "../../src/files/rows.ts";

/** Yields the content's bytes in pieces of this size. */
export function sourceOf(content: string | Uint8Array, pieceSize = 7): Source {
	const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
	return async function* pieces() {
		for (let start = 0; start < bytes.length; start += pieceSize) yield bytes.subarray(start, start + pieceSize);
	};
}

/** @returns the animals, and the line and faults of each row that has faults */
export async function read(content: string | Uint8Array, options: ReadOptions = {}, pieceSize = 7) {
	const source = sourceOf(content, pieceSize);
	const kind = await detectKind(source);
	const rows: FileRow[] = [];
	for await (const batch of readRows(source, kind, options)) rows.push(...batch);
	const pets = rows.flatMap(({ pet }) => (pet ? [pet] : []));
	const reasons = rows.flatMap(({ line, faults }) => (faults ? [`${line}: ${describeFaults(faults)}`] : []));
	return { kind: describeKind(kind), rows, pets, reasons };
}
