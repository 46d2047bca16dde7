// The log: one JSON object a line (pino) on standard output, many lines to a write so that requests do not wait for each.

import type { Writable } from "node:stream";
import pino, { type DestinationStream, type Logger } from "pino";

/** Lines wait until there are this many, or this long. */
const linesMax = 200;
const flushEveryMs = 100;
/** What a slow reader of the log may leave unread. Lines beyond it are dropped and counted: the service goes on. */
export const backlogMaxBytes = 4 * 1024 * 1024;

/** Call `flush` before the process ends. */
export function createLog(level: string, output: Writable = process.stdout): { log: Logger; flush: () => void } {
	let lines: string[] = [];
	let dropped = 0;
	output.on("error", () => {}); // Whoever read the log has gone.

	function flush(): void {
		if (output.writableLength > backlogMaxBytes) dropped += lines.length;
		else if (lines.length > 0) output.write(lines.join(""));
		lines = [];
		if (dropped > 0 && output.writableLength === 0) {
			log.warn({ dropped }, "log lines were dropped because nobody read them");
			dropped = 0;
		}
	}
	function write(line: string): void {
		lines.push(line);
		if (lines.length >= linesMax) flush();
	}
	const log = createLogTo({ write }, level);
	setInterval(flush, flushEveryMs).unref();
	return { log, flush };
}

/** What is logged is chosen field by field where it is logged: never a header, a URL or a body, so never a key. */
export function createLogTo(destination: DestinationStream, level: string): Logger {
	const formatters = { level: (label: string) => ({ level: label }) };
	return pino({ level, base: null, timestamp: isoTime(), formatters }, destination);
}

/** pino's own isoTime makes a text for each line; thousands of lines share a millisecond. */
function isoTime(): () => string {
	let lastMs = Number.NaN;
	let text = "";
	return () => {
		const nowMs = Date.now();
		if (nowMs !== lastMs) text = `,"time":"${new Date(nowMs).toISOString()}"`;
		lastMs = nowMs;
		return text;
	};
}
