// Limits the requests of keys with a rate in each window, with the fields of draft-ietf-httpapi-ratelimit-headers. A
// jump of the wall clock neither refills nor extends a window.

import { ApiError } from "../contract/errors.ts";
import { parseRate, type Rate } from "../keys/formats.ts";
import type { KeyRow } from "../store/store.ts";

export type RateLimits = ReturnType<typeof createRateLimits>;

/** @param defaultRate for keys without their own rate @param now milliseconds of a monotonic clock */
export function createRateLimits(defaultRate: Rate | undefined, now = () => performance.now()) {
	/** By key id, so there are at most as many windows as keys. */
	const windows = new Map<string, Rate & { used: number; endsAtMs: number }>();

	/** The key's window; a new one if the last has ended or the rate of the key has changed. */
	function windowOf(keyId: string, { requests, windowSeconds }: Rate, nowMs: number) {
		const last = windows.get(keyId);
		const isSameRate = last?.requests === requests && last.windowSeconds === windowSeconds;
		if (last && isSameRate && nowMs < last.endsAtMs) return last;
		const next = { requests, windowSeconds, used: 0, endsAtMs: nowMs + windowSeconds * 1000 };
		windows.set(keyId, next);
		return next;
	}

	return {
		/** Counts a request. Returns its reply headers and the refusal if any, or undefined if no limit applies. */
		count(caller: KeyRow) {
			const rate = caller.rate === undefined ? defaultRate : parseRate(caller.rate);
			if (!rate) return undefined;
			const { requests, windowSeconds } = rate;
			const nowMs = now();
			const window = windowOf(caller.id, rate, nowMs);
			window.used++;
			const resetSeconds = Math.ceil((window.endsAtMs - nowMs) / 1000);
			const headers = {
				"ratelimit-policy": `"key";q=${requests};w=${windowSeconds}`,
				ratelimit: `"key";r=${Math.max(0, requests - window.used)};t=${resetSeconds}`,
			};
			const refused = () => new ApiError("rate_limited", requests, windowSeconds, resetSeconds).after(resetSeconds);
			return { headers, refused: window.used > requests ? refused() : undefined };
		},
	};
}
