// A deprecated operation sends deprecation headers in every reply (RFC 9745, RFC 8594), and 410 from its sunset.

import type { Deprecation } from "../contract/deprecation.ts";
import { ApiError } from "../contract/errors.ts";

export interface DeprecationNotice {
	headers(base: string): Record<string, string>;
	/** @throws ApiError `operation_removed` */
	refuseAfterSunset(nowMs: number): void;
}

export function createDeprecationNotice(operation: Deprecation): DeprecationNotice {
	const { sunsetMs, successor: next } = operation;
	const deprecation = `@${operation.sinceMs / 1000}`;
	const sunset = new Date(sunsetMs).toUTCString();
	/** Nearly all requests have the same base. */
	let latest: { base?: string; headers: Record<string, string> } = { headers: {} };
	return {
		headers(base) {
			if (latest.base === base) return latest.headers;
			const docs = `${base.replace(/\/v1$/, "")}/docs`;
			const link = `<${docs}>; rel="deprecation", <${base}${next.path}>; rel="successor-version"`;
			latest = { base, headers: { deprecation, sunset, link } };
			return latest.headers;
		},
		refuseAfterSunset(nowMs) {
			if (nowMs < sunsetMs) return;
			throw new ApiError("operation_removed", operation);
		},
	};
}
