// For both engines: runs only a few tasks at a time, so that long reads and transactions do not block everything else.

import { StorageUnavailable } from "./store.ts";

/**
 * @param max how many tasks run at a time; further tasks wait in order
 * @param waitMaxMs how long a task may wait
 * @param late the message of the error if a task has waited longer
 * @returns a function that runs a task once fewer than `max` tasks run @throws StorageUnavailable after `waitMaxMs`
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
