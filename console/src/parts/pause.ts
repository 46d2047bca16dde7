// How long the console waits before it sends a request again.

import { ApiError, NoReply } from "../../../client/src/index.ts";

const longestPauseMs = 30_000;
/** The longest pause for a `Retry-After`. It has a limit, because browsers run a timer of over 24 days immediately. */
const askedMaxMs = 3_600_000;

/** Milliseconds until the next try; undefined if a retry cannot help. @param failures the number of earlier failures */
export function pauseAfter(failure: unknown, failures: number): number | undefined {
	const growing = Math.min(2_000 * 2 ** failures, longestPauseMs);
	if (failure instanceof NoReply) return growing;
	if (!(failure instanceof ApiError)) return undefined;
	const isTemporary = failure.status === 429 || failure.status >= 500 || failure.code === "unexpected_reply";
	const askedMs = Math.min((failure.retryAfterSeconds ?? 0) * 1000, askedMaxMs);
	return isTemporary ? Math.max(growing, askedMs) : undefined;
}
