// The lines of many processes in one log: a line is written as a whole, however long it is.

import type { Writable } from "node:stream";

const lineEnd = 10;

/**
 * @returns a function that passes the lines of a stream on. While the reader of the log is slow, the stream is not
 * read: its process drops lines and counts them. The end of a line that was never written is not passed on.
 */
export function createLineMerger(log: Writable): (from: NodeJS.ReadableStream) => void {
	const paused = new Set<NodeJS.ReadableStream>();
	function resume(): void {
		for (const from of paused) from.resume();
		paused.clear();
	}
	log.on("drain", resume);
	log.on("close", resume); // The reader closed the log; the service continues.

	return (from) => {
		let begun: Buffer[] = [];
		from.on("data", (chunk: Buffer) => {
			const end = chunk.lastIndexOf(lineEnd) + 1;
			if (end === 0) return void begun.push(chunk);
			const isRead = log.write(Buffer.concat([...begun, chunk.subarray(0, end)]));
			begun = end < chunk.length ? [chunk.subarray(end)] : [];
			if (isRead || log.destroyed) return;
			paused.add(from);
			from.pause();
		});
	};
}
