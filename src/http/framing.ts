// What a request must be before it means anything: the rules of HTTP that Node's parser leaves to us, and those of the
// headers that announce a body.

import type { IncomingMessage } from "node:http";
import { ApiError } from "../contract/errors.ts";
import { bodyMaxBytes } from "../contract/operations.ts";
import { countHeader } from "./auth.ts";

/** Bytes of all request headers together; the parser answers 431 beyond. */
export const headersMaxBytes = 16 * 1024;
/** Characters of a request target. */
export const urlMaxLength = 12 * 1024;
const headersMaxCount = 200;

const jsonUtf8 = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i;

/** @throws ApiError `malformed_request`, `uri_too_long`, `headers_too_large` */
export function checkFraming({ rawHeaders, headers, httpVersion, url = "" }: IncomingMessage): void {
	if (url.length > urlMaxLength)
		throw new ApiError("uri_too_long", `the URL must be at most ${urlMaxLength} characters`);
	if (rawHeaders.length > 2 * headersMaxCount) {
		throw new ApiError("headers_too_large", `a request must have at most ${headersMaxCount} headers`);
	}
	const isHostGiven = headers.host !== undefined || httpVersion === "1.0";
	const isHostValid = headers.host === undefined || /^[A-Za-z0-9._~:[\]-]+$/.test(headers.host);
	if (!isHostGiven || !isHostValid || countHeader(rawHeaders, "host") > 1) {
		throw new ApiError("malformed_request", "the Host header must be given once and name a host (RFC 9112 §3.2)");
	}
}

/** @throws ApiError `expectation_failed` */
export function checkExpectation({ headers }: IncomingMessage): void {
	if (headers.expect === undefined || /^100-continue$/i.test(headers.expect)) return;
	throw new ApiError("expectation_failed", "the only expectation that can be met is 100-continue");
}

/** The headers of a request with a body, before one byte of it is read. @throws ApiError */
export function checkBodyHeaders({ headers }: IncomingMessage): void {
	if (!/^(?:identity)?$/i.test(headers["content-encoding"] ?? "")) {
		throw new ApiError("unsupported_media_type", "the body must not be compressed: send it without Content-Encoding");
	}
	if (!jsonUtf8.test(headers["content-type"] ?? "")) {
		throw new ApiError("unsupported_media_type", "the body must be sent as Content-Type: application/json, in UTF-8");
	}
	if (Number(headers["content-length"] ?? 0) > bodyMaxBytes) throw bodyTooLarge();
}

export function bodyTooLarge(): ApiError {
	return new ApiError("body_too_large", `the body must be at most ${bodyMaxBytes} bytes`);
}

/** Whether more of the body may follow than is worth waiting for, so that the connection has to go. */
export function hasUnreadBody(request: IncomingMessage): boolean {
	if (request.complete) return false;
	return (
		request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > bodyMaxBytes
	);
}
