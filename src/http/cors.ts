// Pages of other origins (Fetch standard): those that CORS_ORIGINS names may call the service and read every header of it.
// Off unless set.

import type { FastifyRequest } from "fastify";

export interface Cors {
	/** What a reply to this request says about its origin. */
	headers(request: FastifyRequest): Record<string, string>;
	/** The reply headers to a browser's question before the request, which never carries a key; undefined for all else. */
	preflight(request: FastifyRequest): Record<string, string> | undefined;
}

const exposed =
	"Deprecation, ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id";
/** The second line is what tracing in a browser adds (W3C Trace Context and Baggage). */
const requestHeaders =
	"Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id, " + "traceparent, tracestate, baggage";

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
