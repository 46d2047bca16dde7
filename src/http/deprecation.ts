// A deprecated operation sends deprecation headers in every reply (RFC 9745, RFC 8594), and 410 from its sunset.

import { type Deprecation, replacementOf } from "../contract/deprecation.ts";
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
	return {
		headers: (base) => ({
			deprecation,
			sunset,
			link: `<${base.replace(/\/v1$/, "")}/docs>; rel="deprecation", <${base}${next.path}>; rel="successor-version"`,
		}),
		refuseAfterSunset(nowMs) {
			if (nowMs < sunsetMs) return;
			throw new ApiError(
				"operation_removed",
				`this operation was removed on ${sunset}; use ${replacementOf(operation)} instead`,
			);
		},
	};
}
