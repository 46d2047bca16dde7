// Runs a few tasks at a time, for both engines: long reads and transactions leave threads and connections to others.

import { StorageUnavailable } from "./store.ts";

/**
 * @param max how many tasks run at a time; others wait in their order
 * @param waitMaxMs how long each of them waits
 * @param late the message after a longer wait
 * @returns runs a task; it begins at once if it need not wait @throws StorageUnavailable after a longer wait
 */
export function createLimit(max: number, waitMaxMs: number, late: string) {
	let running = 0;
	const waiting = new Set<() => void>();

	function wait(): Promise<void> {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const timer = setTimeout(() => {
			waiting.delete(resolve);
			reject(new StorageUnavailable(late));
		}, waitMaxMs);
		waiting.add(resolve);
		return promise.finally(() => clearTimeout(timer));
	}

	return async <Result>(task: () => Promise<Result>): Promise<Result> => {
		if (running === max) await wait();
		else running++;
		try {
			return await task();
		} finally {
			const [next] = waiting;
			if (next) waiting.delete(next);
			else running--;
			next?.();
		}
	};
}
