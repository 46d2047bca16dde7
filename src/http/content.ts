// Codings and entity tags of replies.

import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/**
 * Whether the caller accepts gzip (RFC 9110 §12.5.3): names of codings are case-insensitive, `*` is every coding that
 * is not named, and a weight of 0 refuses a coding.
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

/** A strong entity tag of a body. @param variant distinguishes replies with equal bodies but different headers */
export function entityTag(body: string | Buffer, variant = ""): string {
	return `"${hash("sha256", body, "base64url").slice(0, 22)}${variant}"`;
}

/** Whether an If-None-Match field names this tag. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
	if (ifNoneMatch === undefined) return false;
	if (ifNoneMatch.trim() === "*") return true;
	return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === tag);
}
