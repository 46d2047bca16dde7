// The log: one JSON object a line (pino), written a little later than said so that requests do not wait for it.

import pino, { type DestinationStream, type Logger } from "pino";

import { writeSync } from "node:fs";
export function createLog(level: string): { log: Logger; flush: () => void } {
	let lines: string[] = [];
	const flush = () => { if (lines.length) { writeSync(1, lines.join("")); lines = []; } };
	setInterval(flush, 100).unref();
	return { log: createLogTo({ write: (line: string) => { lines.push(line); if (lines.length === 200) flush(); } }, level), flush };
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
