// The log on standard output: lines of JSON, or lines for people on a terminal. Many lines share a write, so that
// requests do not wait.

import type { Writable } from "node:stream";
import { inspect, styleText } from "node:util";
import { type Log, logLevels, printable } from "../contract/observed.ts";

/** Lines are written when `linesMax` lines wait, and every `flushEveryMs`. */
const linesMax = 64;
const flushEveryMs = 100;
/** The most bytes that a slow reader may leave unread. More lines are dropped and counted, so requests never wait. */
const backlogMaxBytes = 4 * 1024 * 1024;

/** Call `flush` before the process ends. @param isOnTerminal writes lines for people instead of JSON */
export function createLog(level: string, output: Writable, isOnTerminal: boolean) {
	let lines: string[] = [];
	let dropped = 0;
	/** How many dropped lines the log has already reported. */
	let droppedBefore = 0;
	output.on("error", () => {}); // The reader closed the log; the service continues.

	function flush(): void {
		if (output.writableLength > backlogMaxBytes) dropped += lines.length;
		else if (lines.length > 0) output.write(lines.join(""));
		lines = [];
		if (dropped > 0 && output.writableLength === 0) {
			log.warn({ dropped }, "log lines were dropped because the log was not read in time");
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

/** No key is in the log: callers log single fields, never all headers or a body, and URLs only without keys. */
export function createLogTo(destination: { write(line: string): void }, level: string): Log {
	const time = isoTime();
	const log = {} as Log;
	const lowest = (logLevels as readonly string[]).indexOf(level);
	for (const [rank, name] of logLevels.entries()) {
		if (name === "silent") continue;
		log[name] = (fields, message) => {
			if (rank < lowest) return;
			const text = JSON.stringify("err" in fields ? { ...fields, err: describeError(fields.err) } : fields);
			const comma = text === "{}" ? "" : ",";
			destination.write(`{"level":"${name}",${time()}${comma}${text.slice(1, -1)},"msg":${JSON.stringify(message)}}\n`);
		};
	}
	return log;
}

/** The stack includes the causes of an error and its other properties, such as a code. */
function describeError(error: unknown): object {
	const { name, message } = error instanceof Error ? error : { name: typeof error, message: String(error) };
	return { type: name, message, stack: inspect(error) };
}

/** All lines of one millisecond share one string for the time. */
function isoTime(): () => string {
	let lastMs = Number.NaN;
	let text = "";
	return () => {
		const nowMs = Date.now();
		if (nowMs !== lastMs) text = `"time":"${new Date(nowMs).toISOString()}"`;
		lastMs = nowMs;
		return text;
	};
}

/** Formats a JSON line for people: a request as "12:04:31  GET /v1/pets  200  1.2 ms", else message and fields. */
export function formatForTerminal(json: string): string {
	const { level, time, msg, err, ...fields } = JSON.parse(json);
	const clock = styleText("dim", new Date(time).toTimeString().slice(0, 8));
	if (fields["url.path"] !== undefined && msg === "request") return `${clock}  ${describeRequest(fields)}\n`;
	const details = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
	const severity = level === "info" ? "" : `${styleText(level === "warn" ? "yellow" : "red", level)}  `;
	const stack = err?.stack ? `${err.stack}\n` : "";
	return `${clock}  ${severity}${printable(`${[msg, ...details].join("  ")}\n${stack}`)}`;
}

function describeRequest(line: Readonly<Record<string, string | number>>): string {
	const [status, durationMs] = [line["http.response.status_code"], line["durationMs"]].map(Number) as [number, number];
	const color = status < 400 ? "green" : status < 500 ? "yellow" : "red";
	const request = printable(`${line["http.request.method"]} ${line["url.path"]}`);
	return `${request}  ${styleText(color, String(status))}  ${durationMs.toFixed(1)} ms`;
}
