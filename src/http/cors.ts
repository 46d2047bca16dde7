// CORS (Fetch standard): pages of the origins in CORS_ORIGINS may call the service and read all its headers. Off unless
// set.

import type { IncomingMessage } from "node:http";
import { type Operation, operations, responseHeaders } from "../contract/operations.ts";
import type { Exchange } from "./exchange.ts";

export interface Cors {
	/** Adds the CORS headers of the reply. */
	addHeaders(exchange: Exchange): void;
	/** The same headers, of a reply without its own Vary. */
	headersOf(request: IncomingMessage): Record<string, string>;
	/** The reply headers of a preflight request, which never has a key; undefined for all other requests. */
	preflight(request: IncomingMessage): Record<string, string> | undefined;
}

const exposed = [...Object.keys(responseHeaders), "Retry-After", "WWW-Authenticate"].join(", ");
const operationHeaders = Object.values<Operation>(operations).flatMap(({ headers = {} }) => Object.keys(headers));
/** The last line lists the headers of tracing libraries in browsers (W3C Trace Context and Baggage). */
const requestHeaders = [
	...["Authorization", "Content-Type", "X-Request-Id"],
	...new Set(operationHeaders),
	...["traceparent", "tracestate", "baggage"],
].join(", ");

export function createCors(origins: string[]): Cors {
	const allowed = new Set(origins);
	const allow = ({ headers: { origin } }: IncomingMessage) =>
		origin !== undefined &&
		allowed.has(origin) && { "access-control-allow-origin": origin, "access-control-expose-headers": exposed };
	return {
		addHeaders(exchange) {
			if (allowed.size === 0) return;
			const headers = allow(exchange.vary("Origin").request);
			if (headers) exchange.headers(headers);
		},
		headersOf: (request) => (allowed.size === 0 ? {} : { ...allow(request), vary: "Origin" }),
		preflight({ method, headers }) {
			const isPreflight = method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
			if (!isPreflight || headers.origin === undefined || !allowed.has(headers.origin)) return undefined;
			return {
				"access-control-allow-methods": "GET, HEAD, POST",
				"access-control-allow-headers": requestHeaders,
				"access-control-max-age": "7200",
			};
		},
	};
}
