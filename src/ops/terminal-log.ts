// Log lines for people: a request as "12:04:31  GET /v1/pets  200  1.2 ms", anything else as its message and fields.

import { styleText } from "node:util";

interface Line {
	level: string;
	time: string;
	msg: string;
	err?: { stack?: string };
}

interface RequestLine {
	"http.request.method": string;
	"url.path": string;
	"http.response.status_code": number;
	durationMs: number;
}

/** @param json a line of the log in JSON */
export function formatForTerminal(json: string): string {
	const { level, time, msg, err, ...fields } = JSON.parse(json) as Line & Partial<RequestLine>;
	const clock = styleText("dim", new Date(time).toTimeString().slice(0, 8));
	if (fields["url.path"] !== undefined && msg === "request")
		return `${clock}  ${describeRequest(fields as RequestLine)}\n`;
	const details = Object.entries(fields).map(([name, value]) => `${name}=${String(value)}`);
	const severity = level === "info" ? "" : `${styleText(level === "warn" ? "yellow" : "red", level)}  `;
	return `${[`${clock}  ${severity}${msg}`, ...details].join("  ")}\n${err?.stack ? `${err.stack}\n` : ""}`;
}

function describeRequest(line: RequestLine): string {
	const { "http.response.status_code": status, durationMs } = line;
	const color = status < 400 ? "green" : status < 500 ? "yellow" : "red";
	const request = `${line["http.request.method"]} ${line["url.path"]}`;
	return `${request}  ${styleText(color, String(status))}  ${durationMs.toFixed(1)} ms`;
}
