// Headers that do not depend on the content: security (OWASP REST security), and CORS (Fetch standard).

import type { IncomingMessage } from "node:http";
import { type Operation, operations, responseHeaders } from "../contract/operations.ts";

/**
 * The headers of an HTML page. They allow scripts of this service except inline ones, and forbid calls to other hosts,
 * framing, access by windows or pages of other sites, and use of the device's sensors.
 */
export const pageHeaders: Record<string, string> = {
	"content-security-policy": [
		...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
		...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
	].join("; "),
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-resource-policy": "same-origin",
	"permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
};

/** @param baseUrl an https address adds Strict-Transport-Security */
export function securityHeaders(baseUrl: string | undefined): Record<string, string> {
	return {
		"x-content-type-options": "nosniff",
		"content-security-policy": "default-src 'none'; frame-ancestors 'none'",
		"referrer-policy": "no-referrer",
		...(baseUrl?.startsWith("https:") && { "strict-transport-security": "max-age=31536000" }),
	};
}

const exposed = [...Object.keys(responseHeaders), "Retry-After", "WWW-Authenticate"].join(", ");
const operationHeaders = Object.values<Operation>(operations).flatMap(({ headers = {} }) => Object.keys(headers));
/** Tracing libraries in browsers send the last three (W3C Trace Context and Baggage). */
const requestHeaders = [
	...["Authorization", "Content-Type", "X-Request-Id"],
	...new Set(operationHeaders),
	...["traceparent", "tracestate", "baggage"],
].join(", ");

export type Cors = ReturnType<typeof createCors>;

/** Lets pages of these origins call the service and read all its headers. */
export function createCors(origins: string[]) {
	const common = ["access-control-expose-headers", exposed];
	const allowed = new Map(origins.map((origin) => [origin, ["access-control-allow-origin", origin, ...common]]));
	return {
		/** The headers of a reply, as alternating names and values. All replies also have `Vary: Origin`. */
		fieldsOf: ({ headers: { origin = "" } }: IncomingMessage): readonly string[] => allowed.get(origin) ?? [],
		/** The reply headers of a preflight request, which never has a key; undefined for all other requests. */
		preflight({ method, headers }: IncomingMessage): Record<string, string> | undefined {
			const { origin = "", "access-control-request-method": asked } = headers;
			if (method !== "OPTIONS" || asked === undefined || !allowed.has(origin)) return undefined;
			return {
				"access-control-allow-methods": "GET, HEAD, POST",
				"access-control-allow-headers": requestHeaders,
				"access-control-max-age": "7200",
			};
		},
	};
}
