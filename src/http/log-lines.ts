// The log lines of requests and connections. Only the fields listed here are logged: no header, query or body, and
// therefore no key.

import type { Log, Reply } from "../contract/observed.ts";
import type { Exchange } from "./exchange.ts";

/** The status of a request whose client left before its reply, as in nginx; it is never sent. */
export const clientAbortStatus = 499;
/** How often what happens too often for a line each is logged. */
const countEveryMs = 1000;

/**
 * The fields of a request's line, with the attribute names of OpenTelemetry where it has one.
 * @param isOnTerminal people read it, and get the path, too
 */
export function fieldsOf(
	exchange: Exchange,
	{ method, status, reason, seconds }: Reply,
	isOnTerminal: boolean,
): object {
	const { id, route, caller, trace, clientAddress, request } = exchange;
	return {
		"http.request.method": method,
		"http.route": route?.path,
		"http.response.status_code": status,
		"error.type": reason,
		"http.response.body.size": status === clientAbortStatus || method === "HEAD" ? undefined : exchange.bodyBytes,
		durationMs: Math.round(seconds * 1e6) / 1000,
		keyId: caller?.id,
		requestId: id,
		trace_id: trace?.traceId,
		span_id: trace?.isOwn ? trace.spanId : undefined,
		"client.address": clientAddress,
		"url.path": isOnTerminal ? withoutKeys(request.url) : undefined,
	};
}

/** Logs how often something happens, once each second: under overload a line for each would add to the load. */
export function createCountLog(log: Pick<Log, "warn">, fields: object, message: string) {
	let count = 0;
	let timer: NodeJS.Timeout | undefined;
	function write(): void {
		clearTimeout(timer);
		timer = undefined;
		if (count > 0) log.warn({ ...fields, count }, message);
		count = 0;
	}
	return {
		count(): void {
			count++;
			timer ??= setTimeout(write, countEveryMs).unref();
		},
		/** Logs what is not logged yet. */
		close: write,
	};
}

/** A URL without what may be a key: a caller may send it there by mistake. */
export function withoutKeys(url = "", keepsQuery = false): string {
	return (keepsQuery ? url : url.replace(/\?.*/s, "")).replace(/pets_\w+/g, "pets_…");
}
