// The HTTP rules that Node's parser does not enforce. Every ambiguous request is refused.

import type { IncomingMessage } from "node:http";
import { ApiError } from "../contract/errors.ts";
import { bodyMaxBytes, headersMaxCount, urlMaxLength } from "../contract/limits.ts";
import { METHODS } from "./node-http.ts";
import { isHost } from "./proxies.ts";

/** The parser also accepts the methods of RTSP. */
const methods = new Set(METHODS);

/** @throws ApiError `malformed_request`, `uri_too_long`, `headers_too_large`: the connection must not be read on */
export function checkFraming({ rawHeaders, headers, httpVersion, method = "", url = "" }: IncomingMessage): void {
	if ((httpVersion !== "1.1" && httpVersion !== "1.0") || !methods.has(method))
		throw new ApiError("malformed_request", "the request must use HTTP/1.1 or HTTP/1.0 and a method of HTTP");
	if (url.length > urlMaxLength) throw new ApiError("uri_too_long");
	if (rawHeaders.length > 2 * headersMaxCount)
		throw new ApiError("headers_too_large", `a request must have at most ${headersMaxCount} headers`);
	if (!isTarget(url, method))
		throw new ApiError("malformed_request", "the request target must be a path or an http URL (RFC 9112 §3.2)");
	const coding = headers["transfer-encoding"];
	if (coding !== undefined && (httpVersion === "1.0" || coding.toLowerCase() !== "chunked"))
		throw new ApiError("malformed_request", "the only Transfer-Encoding is chunked, given once and in HTTP/1.1");
	const { host } = headers;
	const isHostValid = host === undefined ? httpVersion === "1.0" : isHost(host);
	if (!isHostValid || isRepeated(rawHeaders, "host")) throw new ApiError("malformed_request");
	if (headers["content-type"] !== undefined && isRepeated(rawHeaders, "content-type"))
		throw new ApiError("malformed_request", "the Content-Type header must be given once");
}

/** A path, an http URL with a path, or `*` for OPTIONS. The router would accept any first character as a slash. */
function isTarget(url: string, method: string): boolean {
	if (url.charCodeAt(0) === 0x2f) return true;
	if (url === "*") return method === "OPTIONS";
	const [, authority] = /^https?:\/\/([^/?#]+)\//i.exec(url) ?? [];
	return authority !== undefined && isHost(authority);
}

/** Whether a header occurs more than once. @param rawHeaders alternating names and values */
export function isRepeated(rawHeaders: string[], lowerCaseName: string): boolean {
	let count = 0;
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const name = rawHeaders[index] as string;
		if (name.length === lowerCaseName.length && name.toLowerCase() === lowerCaseName) count++;
	}
	return count > 1;
}

/** Whether the rest of the body may be too long to read, so that the connection must be closed. */
export function hasUnreadBody(request: IncomingMessage): boolean {
	const { "transfer-encoding": coding, "content-length": length = 0 } = request.headers;
	return !request.complete && (coding !== undefined || Number(length) > bodyMaxBytes);
}
