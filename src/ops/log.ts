// The log: one JSON object a line (pino) on standard output, many lines to a write so that requests do not wait for each.

import pino, { type DestinationStream, type Logger } from "pino";

/** Lines wait until there are this many, or this long. */
const linesMax = 200;
const flushEveryMs = 100;

/** Call `flush` before the process ends. */
export function createLog(level: string): { log: Logger; flush: () => void } {
	let lines: string[] = [];
	function flush(): void {
		if (lines.length > 0) process.stdout.write(lines.join(""));
		lines = [];
	}
	function write(line: string): void {
		lines.push(line);
		if (lines.length >= linesMax) flush();
	}
	setInterval(flush, flushEveryMs).unref();
	return { log: createLogTo({ write }, level), flush };
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
