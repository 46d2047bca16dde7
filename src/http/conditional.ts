// ETag and If-None-Match (RFC 9110 §8.8.3, §13.1.2): 304 if the caller already has the reply.

import { hash } from "node:crypto";

/** A strong entity tag of a body. `variant` distinguishes replies with the same body and other headers or coding. */
export function entityTag(body: string | Buffer, variant = ""): string {
	return `"${hash("sha256", body, "base64url").slice(0, 22)}${variant}"`;
}

/** Whether an If-None-Match field names this tag. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
	if (ifNoneMatch === undefined) return false;
	if (ifNoneMatch.trim() === "*") return true;
	return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === tag);
}
