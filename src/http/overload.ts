// Load shedding: an overloaded service refuses requests early and cheaply (503 `overloaded`), before memory runs out or
// the event loop stalls. Delays that others cause, by taking the CPU or by stopping this process, are not overload.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { ApiError } from "../contract/errors.ts";
import type { WriteQueue } from "../store/store.ts";

const sampleEveryMs = 250;
const resolutionMs = 10;
const retryAfterMaxSeconds = 60;

export interface Overload {
	/** @throws ApiError `overloaded` */
	refuse(isWrite: boolean): void;
	stop(): void;
}

/** Requests are refused above both. */
export interface LoadLimits {
	/** The mean delay of the event loop, or wait for a turn (turns.ts); 150 ms are about 4,000 concurrent requests. */
	delayMs: number;
	/** The share of the time in which this thread used the CPU. With less, it waited for the CPU, or was stopped. */
	ownShare: number;
}

const defaultLimits: LoadLimits = { delayMs: 150, ownShare: 0.7 };

export interface OverloadOptions {
	/** Creates that wait for their commit. */
	queue: Pick<WriteQueue, "isFull" | "expectedMs">;
	limits?: LoadLimits | undefined;
	/** The mean time for which a connection waited for its turn, since the last call. */
	readWaitMs?: () => number;
	/** CPU time of this thread since its start, in microseconds. */
	cpuUsage?: () => { user: number; system: number };
}

export function watchOverload(options: OverloadOptions): Overload {
	const { queue, limits = defaultLimits, readWaitMs = () => 0, cpuUsage = () => process.threadCpuUsage() } = options;
	const delay = monitorEventLoopDelay({ resolution: resolutionMs });
	delay.enable();
	const cpuMs = () => {
		const { user, system } = cpuUsage();
		return (user + system) / 1000;
	};
	let isLate = false;
	let before = { atMs: performance.now(), cpuMs: cpuMs() };
	const sampler = setInterval(() => {
		const now = { atMs: performance.now(), cpuMs: cpuMs() };
		const ownShare = (now.cpuMs - before.cpuMs) / (now.atMs - before.atMs);
		const delayMs = Math.max(delay.mean / 1e6 - resolutionMs, readWaitMs());
		isLate = delayMs > limits.delayMs && ownShare >= limits.ownShare;
		before = now;
		delay.reset();
	}, sampleEveryMs).unref();

	return {
		refuse(isWrite) {
			if (isLate) throw overloaded(0);
			if (isWrite && queue.isFull) throw overloaded(queue.expectedMs);
		},
		stop() {
			clearInterval(sampler);
			delay.disable();
		},
	};
}

/** @param afterMs when the service has caught up */
export function overloaded(afterMs: number): ApiError {
	const seconds = Math.min(Math.max(Math.ceil(afterMs / 1000), 1), retryAfterMaxSeconds);
	return new ApiError("overloaded").after(seconds);
}
