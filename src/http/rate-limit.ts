// Limits the requests of keys with a rate in each window, with the fields of draft-ietf-httpapi-ratelimit-headers. The
// rows of an import count as requests: those that the window has no room for are taken from the next windows. A jump of
// the wall clock neither refills nor extends a window.

import { parseRate, type Rate } from "../contract/durations.ts";
import { ApiError } from "../contract/errors.ts";
import type { KeyRow } from "../store/store.ts";

export type RateLimits = ReturnType<typeof createRateLimits>;

/** @param defaultRate for keys without their own rate @param now milliseconds of a monotonic clock */
export function createRateLimits(defaultRate: Rate | undefined, now = () => performance.now()) {
	/** By key id, so there are at most as many windows as keys. */
	const windows = new Map<string, Rate & { used: number; owed: number; endsAtMs: number }>();

	/** The key's window; a new one if the last has ended or the rate of the key has changed. */
	function windowOf(keyId: string, { requests, windowSeconds }: Rate, nowMs: number) {
		const last = windows.get(keyId);
		const isSameRate = last?.requests === requests && last.windowSeconds === windowSeconds;
		if (last && isSameRate && nowMs < last.endsAtMs) return last;
		const windowMs = windowSeconds * 1000;
		const used = isSameRate ? Math.max(0, last.owed - Math.floor((nowMs - last.endsAtMs) / windowMs) * requests) : 0;
		const next = { requests, windowSeconds, used, owed: Math.max(0, used - requests), endsAtMs: nowMs + windowMs };
		windows.set(keyId, next);
		return next;
	}

	/** @param isOwed takes requests that the window has no room for from the next ones */
	function count({ id, rate: ownRate }: KeyRow, more: number, isOwed: boolean) {
		const rate = ownRate === undefined ? defaultRate : parseRate(ownRate);
		if (!rate) return undefined;
		const nowMs = now();
		const window = windowOf(id, rate, nowMs);
		window.used += more;
		if (isOwed) window.owed = Math.max(0, window.used - window.requests);
		const { requests, windowSeconds, used, owed, endsAtMs } = window;
		const resetSeconds = Math.ceil((endsAtMs - nowMs) / 1000) + Math.floor(owed / requests) * windowSeconds;
		const headers = {
			"ratelimit-policy": `"key";q=${requests};w=${windowSeconds}`,
			ratelimit: `"key";r=${Math.max(0, requests - used)};t=${resetSeconds}`,
		};
		const refused = () => new ApiError("rate_limited", requests, windowSeconds, resetSeconds).after(resetSeconds);
		return { headers, refused: used > requests ? refused() : undefined };
	}

	return {
		/** Counts a request. Returns its reply headers and the refusal if any, or undefined if no limit applies. */
		count: (caller: KeyRow) => count(caller, 1, false),
		/** Counts more rows of a request that was counted as one. Returns its reply headers. */
		countRows: (caller: KeyRow, rows: number) => count(caller, rows, true)?.headers,
	};
}
