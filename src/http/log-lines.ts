// The log lines of requests and connections. Only the fields listed here are logged: no header, query or body, and
// therefore no key.

import type { Exchange } from "./exchange.ts";

/** The status of a request whose client left before its reply, as in nginx; it is never sent. */
export const clientAbortStatus = 499;
/** How often what happens too often for a line each is logged. */
const countEveryMs = 1000;

/** Writes lines whose fields are JSON already, which costs a fifth of what an object costs. */
export interface LineLog {
	/** @param fields such as `"a":1,"b":2` */
	writeInfo(fields: string, message: string): void;
	warn(fields: object, message: string): void;
}

export interface LineParts {
	method: string;
	status: number;
	reason: string | undefined;
	ms: number;
}

/** The fields of a request's line, with the attribute names of OpenTelemetry where it has one. */
export function fieldsOf(exchange: Exchange, { method, status, reason, ms }: LineParts): string {
	const { id, route, caller, trace, clientAddress } = exchange;
	const path = route?.path;
	const bytes = status === clientAbortStatus || method === "HEAD" ? undefined : exchange.bodyBytes;
	// Integers, because writing a fraction costs more than the rest of the line.
	const micros = Math.round(ms * 1000);
	const fraction = micros % 1000;
	return `"http.request.method":"${method}"${
		path === undefined ? "" : `,"http.route":"${path}"`
	},"http.response.status_code":${status}${reason === undefined ? "" : `,"error.type":"${reason}"`}${
		bytes === undefined ? "" : `,"http.response.body.size":${bytes}`
	},"durationMs":${Math.floor(micros / 1000)}.${fraction < 10 ? "00" : fraction < 100 ? "0" : ""}${fraction}${
		caller === undefined ? "" : `,"keyId":"${caller.id}"`
	},"requestId":"${id}"${trace === undefined ? "" : `,"trace_id":"${trace.traceId}"`}${
		trace?.isOwn ? `,"span_id":"${trace.spanId}"` : ""
	}${clientAddress === undefined ? "" : `,"client.address":${JSON.stringify(clientAddress)}`}`;
}

interface CountLog {
	count(): void;
	/** Logs what is not logged yet. */
	close(): void;
}

/** Logs how often something happens, once each second: under overload a line for each would add to the load. */
export function createCountLog(log: Pick<LineLog, "warn">, fields: object, message: string): CountLog {
	let count = 0;
	let timer: NodeJS.Timeout | undefined;
	function write(): void {
		clearTimeout(timer);
		timer = undefined;
		if (count > 0) log.warn({ ...fields, count }, message);
		count = 0;
	}
	return {
		count() {
			count++;
			timer ??= setTimeout(write, countEveryMs).unref();
		},
		close: write,
	};
}

/** A URL without what may be a key: a caller may send it there by mistake. */
export function withoutKeys(url = "", keepsQuery = false): string {
	return (keepsQuery ? url : url.replace(/\?.*/s, "")).replace(/pets_\w+/g, "pets_…");
}
