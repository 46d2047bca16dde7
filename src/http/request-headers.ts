// Reads fields of a request: X-Request-Id, Accept-Encoding, If-None-Match with the tags that it names, and
// Idempotency-Key.

import { hash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { ApiError } from "../contract/errors.ts";

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
