// A file or a pasted text of a browser as a source of rows, also where streams cannot be iterated.

import type { Source } from "./file-kind.ts";

const pieceSize = 64 * 1024;

/** Reads a piece at a time. Pasted text: `blobSource(new Blob([text]))`. */
export function blobSource(blob: Blob): Source {
	return async function* pieces() {
		for (let start = 0; start < blob.size; start += pieceSize)
			yield new Uint8Array(await blob.slice(start, start + pieceSize).arrayBuffer());
	};
}
