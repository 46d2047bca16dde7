// Content coding (RFC 9110 §12.5.3): gzip, if the caller accepts it.

import type { IncomingHttpHeaders } from "node:http";

export function acceptsGzip(headers: IncomingHttpHeaders): boolean {
	const accepted = headers["accept-encoding"];
	return accepted !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(accepted));
}
