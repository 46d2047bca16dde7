// Writes to standard output, no faster than its reader reads.

import { pipeline } from "node:stream/promises";

/** Writes all pieces. When the reader closes the pipe (`| head`), this stops without an error. */
export async function toStdout(pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
	try {
		await pipeline(pieces, process.stdout, { end: false });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
	}
}
