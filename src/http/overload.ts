// More work than the service takes is refused early and cheaply (503 `overloaded`), before memory or the event loop
// suffers.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { ApiError } from "../contract/errors.ts";

/** Creates that may wait for their commit: more than a second's work, and a few megabytes. */
export const writesWaitingMax = 20_000;
/** Mean delay of the event loop from which on requests are refused; about 4,000 requests at once. */
const defaultDelayMaxMs = 150;
const sampleEveryMs = 250;
const resolutionMs = 10;
const retryAfterSeconds = 1;

export interface Overload {
	/** @throws ApiError `overloaded` */
	refuse(isWrite: boolean): void;
	stop(): void;
}

/** @param writesWaiting creates that wait for their commit now */
export function watchOverload(writesWaiting: () => number, delayMaxMs = defaultDelayMaxMs): Overload {
	const delay = monitorEventLoopDelay({ resolution: resolutionMs });
	delay.enable();
	let isLate = false;
	const sampler = setInterval(() => {
		isLate = delay.mean / 1e6 - resolutionMs > delayMaxMs;
		delay.reset();
	}, sampleEveryMs).unref();

	return {
		refuse(isWrite) {
			if (!isLate && !(isWrite && writesWaiting() >= writesWaitingMax)) return;
			throw new ApiError(
				"overloaded",
				"the service has more to do than it can: try again in a moment",
				retryAfterSeconds,
			);
		},
		stop() {
			clearInterval(sampler);
			delay.disable();
		},
	};
}
