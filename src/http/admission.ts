// Protects the service from too many requests. An overloaded service refuses requests early and cheaply, before memory
// runs out or the event loop stalls. The rate of a key limits its requests in each window.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseRate, type Rate } from "../contract/durations.ts";
import { ApiError } from "../contract/errors.ts";
import type { KeyRow, WriteQueue } from "../store/store.ts";

const sampleEveryMs = 250;
const resolutionMs = 10;
const retryAfterMaxSeconds = 60;

export type Overload = ReturnType<typeof watchOverload>;
export type RateLimits = ReturnType<typeof createRateLimits>;

const defaultLimits = {
	/** The mean delay of the event loop; 150 ms correspond to about 4,000 concurrent requests. */
	delayMs: 150,
	/**
	 * The part of the time for which this thread used the CPU, or the part of its CPU quota that the process used: the
	 * larger one counts. If it is below this limit, the process waited for the CPU or was stopped: no overload.
	 */
	ownShare: 0.7,
};
/** Requests are refused while both limits are exceeded. */
export type LoadLimits = typeof defaultLimits;

/** CPU times since the start, in milliseconds. */
export interface Processor {
	threadMs(): number;
	processMs(): number;
	/** The cores that the process may use; infinite without a quota. */
	quota(): number;
}

/** @param queue the queue of creates, which wait for their commit */
export function watchOverload(
	queue: Pick<WriteQueue, "isFull" | "expectedMs">,
	processor: Processor,
	limits: LoadLimits = defaultLimits,
) {
	const delay = monitorEventLoopDelay({ resolution: resolutionMs });
	delay.enable();
	const sample = () => ({
		atMs: performance.now(),
		threadMs: processor.threadMs(),
		processMs: processor.processMs(),
	});
	let isLate = false;
	let before = sample();
	const sampler = setInterval(() => {
		const now = sample();
		const { atMs, threadMs, processMs } = before;
		const elapsedMs = now.atMs - atMs;
		const ownShare = () =>
			Math.max(now.threadMs - threadMs, (now.processMs - processMs) / processor.quota()) / elapsedMs;
		// If the event loop has had fewer than two ticks since the last sample, there is no mean: it was late all the time.
		const delayMs = delay.count === 0 ? elapsedMs : delay.mean / 1e6 - resolutionMs;
		isLate = delayMs > limits.delayMs && ownShare() >= limits.ownShare;
		before = now;
		delay.reset();
	}, sampleEveryMs).unref();

	return {
		/** Whether the event loop is late because of the work of this process. */
		isLate: () => isLate,
		/** @throws ApiError `overloaded` */
		refuse(isWrite: boolean): void {
			if (isLate) throw overloaded(0);
			if (isWrite && queue.isFull) throw overloaded(queue.expectedMs);
		},
		stop(): void {
			clearInterval(sampler);
			delay.disable();
		},
	};
}

/** @param afterMs the time until the service has caught up */
export function overloaded(afterMs: number): ApiError {
	const seconds = Math.min(Math.max(Math.ceil(afterMs / 1000), 1), retryAfterMaxSeconds);
	return new ApiError("overloaded").after(seconds);
}

/**
 * Counts the requests of keys that have a rate, and the items of a request's list, such as rows. Replies have fields of
 * draft-ietf-httpapi-ratelimit-headers.
 * @param defaultRate for keys without their own rate
 * @param now milliseconds of a monotonic clock: a jump of the wall clock neither refills nor extends a window
 */
export function createRateLimits(defaultRate: Rate | undefined, now = () => performance.now()) {
	/** By key id, so there are at most as many windows as keys. */
	const windows = new Map<string, Rate & { used: number; endsAtMs: number }>();

	/** The key's window; a new window if the last one has ended or the key's rate has changed. */
	function windowOf(keyId: string, { requests, windowSeconds }: Rate, nowMs: number) {
		const last = windows.get(keyId);
		const isSameRate = last?.requests === requests && last.windowSeconds === windowSeconds;
		if (last && isSameRate && nowMs < last.endsAtMs) return last;
		const next = { requests, windowSeconds, used: 0, endsAtMs: nowMs + windowSeconds * 1000 };
		windows.set(keyId, next);
		return next;
	}

	function count({ id, rate: ownRate }: KeyRow, more: number) {
		const rate = ownRate === undefined ? defaultRate : parseRate(ownRate);
		if (!rate) return undefined;
		const nowMs = now();
		const window = windowOf(id, rate, nowMs);
		window.used += more;
		const { requests, windowSeconds, used, endsAtMs } = window;
		const resetSeconds = Math.ceil((endsAtMs - nowMs) / 1000);
		const headers = {
			"ratelimit-policy": `"key";q=${requests};w=${windowSeconds}`,
			ratelimit: `"key";r=${Math.max(0, requests - used)};t=${resetSeconds}`,
		};
		const refused = () => new ApiError("rate_limited", requests, windowSeconds, resetSeconds).after(resetSeconds);
		return { headers, refused: used > requests ? refused() : undefined };
	}

	return {
		/** Counts a request. Returns the reply's headers, and a refusal if there is one; undefined without a rate. */
		count: (caller: KeyRow) => count(caller, 1),
		/** Counts the items of a request's list but the first, which `count` has counted. Returns the reply's headers. */
		countItems: (caller: KeyRow, items: number) => count(caller, items - 1)?.headers,
	};
}
