// Standard output, as fast as its reader takes it and no faster.

import { pipeline } from "node:stream/promises";

/** Writes all pieces. When the reader has seen enough (`| head`), the rest is not asked for, and that is no failure. */
export async function toStdout(pieces: AsyncIterable<string> | Iterable<string>): Promise<void> {
	try {
		await pipeline(pieces, process.stdout, { end: false });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
	}
}
