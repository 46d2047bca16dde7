// Load shedding: an overloaded service refuses requests early and cheaply (503 `overloaded`), before memory runs out or
// the event loop stalls. A delay because others use the CPU, or because this process was stopped, is not overload.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { ApiError } from "../contract/errors.ts";
import type { WriteQueue } from "../store/store.ts";

const sampleEveryMs = 250;
const resolutionMs = 10;
const retryAfterMaxSeconds = 60;

export type Overload = ReturnType<typeof watchOverload>;

const defaultLimits = {
	/** The mean delay of the event loop; 150 ms are about 4,000 concurrent requests. */
	delayMs: 150,
	/**
	 * The share of the time in which this thread used the CPU, or of its quota that the process used. With less, it
	 * waited for the CPU or was stopped.
	 */
	ownShare: 0.7,
};
/** Requests are refused above both. */
export type LoadLimits = typeof defaultLimits;

/** CPU times since the start, in milliseconds. */
export interface Processor {
	threadMs(): number;
	processMs(): number;
	/** The cores that the process may use; infinite without a quota. */
	quota(): number;
}

/** @param queue creates that wait for their commit */
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
		// Without a second tick of the event loop since the last sample there is no delay yet, and no mean.
		const delayMs = delay.count === 0 ? elapsedMs : delay.mean / 1e6 - resolutionMs;
		isLate = delayMs > limits.delayMs && ownShare() >= limits.ownShare;
		before = now;
		delay.reset();
	}, sampleEveryMs).unref();

	return {
		/** The event loop is late, and because of what this process does. */
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
