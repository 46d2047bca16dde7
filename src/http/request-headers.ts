// The head of a request: the rules of HTTP that Node's parser does not enforce, so that every ambiguous request is
// refused, and the fields that the service reads.

import { hash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { ApiError } from "../contract/errors.ts";
import { headersMaxCount, urlMaxLength } from "../contract/limits.ts";
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

const usable = /^[\w.:+/=-]{1,128}$/;

/** Takes X-Request-Id if it is safe to log, else makes an id. @param prefix unique per process */
export function createRequestIds(prefix: string): (request: Pick<IncomingMessage, "headers">) => string {
	let count = 0;
	return ({ headers }) => {
		const sent = headers["x-request-id"];
		return typeof sent === "string" && usable.test(sent) ? sent : `${prefix}-${(count++).toString(36)}`;
	};
}

/**
 * Whether the caller accepts gzip (RFC 9110 §12.5.3): names of codings are case-insensitive, `*` is every coding that
 * is not named, and a weight of 0 refuses one.
 */
export function acceptsGzip(headers: IncomingHttpHeaders): boolean {
	const accepted = headers["accept-encoding"];
	if (accepted === undefined) return false;
	let isAnyAccepted = false;
	for (const element of String(accepted).split(",")) {
		const [, coding = "", weight] = /^\s*([^\s;]+)\s*(?:;\s*q=([\d.]+))?/i.exec(element) ?? [];
		const isAccepted = weight === undefined || Number(weight) > 0;
		if (/^(?:x-)?gzip$/i.test(coding)) return isAccepted;
		if (coding === "*") isAnyAccepted = isAccepted;
	}
	return isAnyAccepted;
}

/** A strong entity tag of a body. @param variant distinguishes replies with equal bodies and other headers */
export function entityTag(body: string | Buffer, variant = ""): string {
	return `"${hash("sha256", body, "base64url").slice(0, 22)}${variant}"`;
}

/** Whether an If-None-Match field names this tag. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
	if (ifNoneMatch === undefined) return false;
	if (ifNoneMatch.trim() === "*") return true;
	return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === tag);
}

/** An Idempotency-Key: 1 to 255 visible ASCII characters, quotes optional. @throws ApiError `invalid_parameter` */
export function readIdempotencyKey(field: string | string[] | undefined): string | undefined {
	if (field === undefined) return undefined;
	const text = String(field);
	const key = /^"(.*)"$/.exec(text)?.[1] ?? text;
	if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
	throw new ApiError("invalid_parameter");
}
