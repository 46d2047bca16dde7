// Pages of other origins (Fetch standard): those that CORS_ORIGINS names may call the service and read every header of
// it. Off unless set.

import type { FastifyRequest } from "fastify";
import { type Operation, operations, responseHeaders } from "../contract/operations.ts";

export interface Cors {
	/** What a reply to this request says about its origin. */
	headers(request: FastifyRequest): Record<string, string>;
	/**
	 * The reply headers to a browser's question before the request, which never carries a key; undefined for all else.
	 */
	preflight(request: FastifyRequest): Record<string, string> | undefined;
}

const exposed = [...Object.keys(responseHeaders), "Retry-After", "WWW-Authenticate"].join(", ");
const operationHeaders = Object.values<Operation>(operations).flatMap(({ headers = {} }) => Object.keys(headers));
/** The last line is what tracing in a browser adds (W3C Trace Context and Baggage). */
const requestHeaders = [
	...["Authorization", "Content-Type", "X-Request-Id"],
	...new Set(operationHeaders),
	...["traceparent", "tracestate", "baggage"],
].join(", ");

export function createCors(origins: string[]): Cors {
	const allowed = new Set(origins);
	return {
		headers({ headers: { origin } }): Record<string, string> {
			if (allowed.size === 0) return {};
			if (origin === undefined || !allowed.has(origin)) return { vary: "Origin" };
			return { vary: "Origin", "access-control-allow-origin": origin, "access-control-expose-headers": exposed };
		},
		preflight({ method, headers }) {
			const isAsked = method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
			if (!isAsked || headers.origin === undefined || !allowed.has(headers.origin)) return undefined;
			return {
				"access-control-allow-methods": "GET, HEAD, POST",
				"access-control-allow-headers": requestHeaders,
				"access-control-max-age": "7200",
			};
		},
	};
}
