// Load shedding: an overloaded service refuses requests early and cheaply (503 `overloaded`), before memory runs out or
// the event loop stalls.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { ApiError } from "../contract/errors.ts";

/** Maximum creates that wait for their commit: more than a second of work, and a few megabytes. */
export const writesWaitingMax = 20_000;
/** Requests are refused above this mean delay of the event loop; about 4,000 concurrent requests. */
const defaultDelayMaxMs = 150;
const sampleEveryMs = 250;
const resolutionMs = 10;
const retryAfterSeconds = 1;

export interface Overload {
	/** @throws ApiError `overloaded` */
	refuse(isWrite: boolean): void;
	stop(): void;
}

/** @param writesWaiting returns the number of creates that wait for their commit */
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
			throw new ApiError("overloaded", "the service is overloaded: try again in a moment", retryAfterSeconds);
		},
		stop() {
			clearInterval(sampler);
			delay.disable();
		},
	};
}
