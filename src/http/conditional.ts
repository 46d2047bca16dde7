// ETag and If-None-Match (RFC 9110 §8.8.3, §13.1.2): a reply that the caller already has is 304.

import { hash } from "node:crypto";

/** A strong entity tag over everything that may change in a reply. */
export function entityTag(content: string): string {
	return `"${hash("sha256", content, "base64url").slice(0, 22)}"`;
}

/** Whether an If-None-Match field names this tag. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
	if (ifNoneMatch === undefined) return false;
	if (ifNoneMatch.trim() === "*") return true;
	return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === tag);
}
