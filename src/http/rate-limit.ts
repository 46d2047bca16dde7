// Requests per key in a window, with the fields of draft-ietf-httpapi-ratelimit-headers. Off for keys without a rate.

import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ApiError } from "../contract/errors.ts";
import { parseRate, type Rate } from "../keys/rate.ts";
import type { KeyRow } from "../store/store.ts";

export interface RateLimits {
	/** The reply headers of this request, or undefined where no limit applies. A refusal comes with `refused`. */
	count(caller: KeyRow): Promise<{ headers: Record<string, string>; refused?: ApiError }> | undefined;
}

/** @param defaultRate for keys without a rate of their own */
export function createRateLimits(defaultRate: Rate | undefined): RateLimits {
	const limiters = new Map<string, RateLimiterMemory>();

	function limiterFor({ requests, windowSeconds }: Rate): RateLimiterMemory {
		const name = `${requests}/${windowSeconds}`;
		const limiter = limiters.get(name) ?? new RateLimiterMemory({ points: requests, duration: windowSeconds });
		limiters.set(name, limiter);
		return limiter;
	}

	async function count(caller: KeyRow, rate: Rate) {
		const { state, isRefused } = await limiterFor(rate)
			.consume(caller.id)
			.then((state) => ({ state, isRefused: false }))
			.catch((state: unknown) => {
				if (!(state instanceof RateLimiterRes)) throw state;
				return { state, isRefused: true };
			});
		const resetSeconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
		const headers = {
			"ratelimit-policy": `"key";q=${rate.requests};w=${rate.windowSeconds}`,
			ratelimit: `"key";r=${state.remainingPoints};t=${resetSeconds}`,
		};
		if (!isRefused) return { headers };
		const message = `this API key may send ${rate.requests} requests in ${rate.windowSeconds} seconds: try again in ${resetSeconds} seconds`;
		return { headers, refused: new ApiError("rate_limited", message, resetSeconds) };
	}

	return {
		count(caller) {
			const rate = caller.rate === undefined ? defaultRate : parseRate(caller.rate);
			return rate && count(caller, rate);
		},
	};
}
