// Runs tasks, such as searches, in turns by API key. Only a few tasks run at a time. A key with many tasks delays
// another key by only one task. Too many tasks of a key are refused, and tasks whose client has left are dropped.

import { ApiError } from "../contract/errors.ts";
import { callerOf } from "./checks.ts";
import type { Exchange } from "./exchange.ts";

interface TurnLimits {
	/** The most tasks that run at a time. */
	runningMax: number;
	/** The most tasks of a key that run at a time. */
	keyRunningMax: number;
	/** The most tasks of a key that run or wait. */
	keyMax: number;
	/** The name of the tasks in the refusal's message, such as `searches`. */
	tasks: string;
}

/** The tasks of a key run one after the other; those of two keys run at the same time. */
export const turnLimits = { runningMax: 2, keyRunningMax: 1, keyMax: 10 };

export type InTurn = <Result>(exchange: Exchange, task: () => Promise<Result>) => Promise<Result>;

/** Runs a task in the turn of its key, if the key still works. Drops the task if the client leaves first. */
export function inTurnsOf(turns: Turns): InTurn {
	return (exchange, task) => {
		const checked = async () => {
			await exchange.checkAgain();
			return task();
		};
		return turns.run(callerOf(exchange).id, checked, exchange.watchLeaving());
	};
}

interface OfKey {
	running: number;
	waiting: Set<() => void>;
}

export class Turns {
	readonly #limits: TurnLimits;
	#running = 0;
	/** By key id. A key moves to the end when one of its tasks has ended. */
	readonly #keys = new Map<string, OfKey>();

	constructor(limits: TurnLimits) {
		this.#limits = limits;
	}

	/** @param left aborts a waiting task @throws ApiError `overloaded`, the reason of `left`, the task's error */
	async run<Result>(id: string, task: () => Promise<Result>, left?: AbortSignal): Promise<Result> {
		left?.throwIfAborted();
		const { keyMax, tasks } = this.#limits;
		const key = this.#keys.get(id) ?? { running: 0, waiting: new Set<() => void>() };
		if (key.running + key.waiting.size >= keyMax)
			throw new ApiError("overloaded", `${keyMax} ${tasks} of this API key are under way: wait until one has ended`);
		this.#keys.set(id, key);
		try {
			await this.#turnOf(key, left);
			try {
				return await task();
			} finally {
				key.running--;
				this.#running--;
				this.#keys.delete(id);
				this.#keys.set(id, key);
			}
		} finally {
			this.#startNext();
		}
	}

	#turnOf(key: OfKey, left?: AbortSignal): Promise<void> {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const leave = () => {
			if (key.waiting.delete(resolve)) reject(left?.reason);
		};
		left?.addEventListener("abort", leave);
		key.waiting.add(resolve);
		this.#startNext();
		return promise.finally(() => left?.removeEventListener("abort", leave));
	}

	#startNext(): void {
		const { runningMax, keyRunningMax } = this.#limits;
		for (const [id, key] of this.#keys) {
			const [start] = key.waiting;
			if (!start && key.running === 0) this.#keys.delete(id);
			if (!start || key.running >= keyRunningMax) continue;
			if (this.#running >= runningMax) return;
			key.waiting.delete(start);
			key.running++;
			this.#running++;
			start();
		}
	}
}
