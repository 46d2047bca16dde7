// The log on standard output: JSON lines (pino), or lines for people on a terminal. Many lines share a write, so that
// requests do not wait.

import type { Writable } from "node:stream";
import pino, { type DestinationStream, type Logger } from "pino";
import { formatForTerminal } from "./terminal-log.ts";

/** Lines are written when there are this many, or after this time. */
const linesMax = 500;
const flushEveryMs = 100;
/** The most that a slow reader may leave unread. Further lines are dropped and counted, so requests never wait. */
export const backlogMaxBytes = 4 * 1024 * 1024;

export interface ServiceLog extends Logger {
	/**
	 * Writes a line of level info whose fields are JSON already: a fifth of the cost of `info`, and there is one for each
	 * request.
	 * @param fields such as `"a":1,"b":2`
	 */
	writeInfo(fields: string, message: string): void;
}

/** Call `flush` before the process ends. @param isOnTerminal writes lines for people instead of JSON */
export function createLog(
	level: string,
	output: Writable,
	isOnTerminal: boolean,
): { log: ServiceLog; flush: () => void; droppedLines: () => number } {
	let lines: string[] = [];
	let dropped = 0;
	/** Those that the log has told. */
	let droppedBefore = 0;
	output.on("error", () => {}); // The reader closed the log; the service continues.

	function flush(): void {
		if (output.writableLength > backlogMaxBytes) dropped += lines.length;
		else if (lines.length > 0) output.write(lines.join(""));
		lines = [];
		if (dropped > 0 && output.writableLength === 0) {
			log.warn({ dropped }, "log lines were dropped because nobody read them");
			droppedBefore += dropped;
			dropped = 0;
		}
	}
	function write(line: string): void {
		lines.push(isOnTerminal ? formatForTerminal(line) : line);
		if (lines.length >= linesMax) flush();
	}
	const log = createLogTo({ write }, level);
	setInterval(flush, flushEveryMs).unref();
	return { log, flush, droppedLines: () => droppedBefore + dropped };
}

/** Callers log single fields, never a header, a URL or a body, and therefore never a key. */
export function createLogTo(destination: DestinationStream, level: string): ServiceLog {
	const formatters = { level: (label: string) => ({ level: label }) };
	const timestamp = isoTime();
	const log = pino({ level, base: null, timestamp, formatters }, destination);
	function writeInfo(fields: string, message: string): void {
		if (!log.isLevelEnabled("info")) return;
		destination.write(`{"level":"info"${timestamp()},${fields},"msg":"${message}"}\n`);
	}
	return Object.assign(log, { writeInfo });
}

/** pino's own isoTime formats the time for each line; here all lines of a millisecond share one text. */
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
