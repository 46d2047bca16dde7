// A deprecated operation says so in every reply (RFC 9745, RFC 8594), and answers 410 from its sunset on.

import { ApiError } from "../contract/errors.ts";
import type { Operation } from "../contract/operations.ts";

export interface DeprecationNotice {
	headers(base: string): Record<string, string>;
	/** @throws ApiError `operation_removed` */
	refuseAfterSunset(nowMs: number): void;
}

export function deprecationNotice({ sinceMs, sunsetMs }: NonNullable<Operation["deprecation"]>): DeprecationNotice {
	const deprecation = `@${sinceMs / 1000}`;
	const sunset = new Date(sunsetMs).toUTCString();
	return {
		headers: (base) => ({
			deprecation,
			sunset,
			link: `<${base.replace(/\/v1$/, "")}/docs>; rel="deprecation", <${base}/pets>; rel="successor-version"`,
		}),
		refuseAfterSunset(nowMs) {
			if (nowMs < sunsetMs) return;
			throw new ApiError(
				"operation_removed",
				`this operation was removed on ${sunset}; use GET /pets with the status filter instead`,
			);
		},
	};
}
