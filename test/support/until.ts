// Waits for a condition, with a time limit and an error that names the condition. The time limits of tests.

import { setTimeout as sleep } from "node:timers/promises";

/** The time limit of a test: much longer than a test takes, because a busy machine is slow. */
export const testLimitMs = 120_000;

/** The time limit of the few tests that take longer; each states why. */
export const slowMs = 240_000;

/** The time limit of tests that install or compile, which only proofs run. */
export const proofTestLimitMs = 480_000;

/** The default limit of a wait. In a test, it ends before the test's limit, so that the error names the condition. */
const defaultLimitMs = process.env["NODE_TEST_CONTEXT"] ? 0.75 * testLimitMs : 60_000;

/** A test or a proof, which runs the clean-ups at its end. */
export interface CleanUps {
	after(cleanUp: () => unknown): void;
}

export interface Wait {
	withinMs?: number;
	/** The pause between two calls; 0 calls again in the next tick of the event loop. */
	everyMs?: number;
}

/**
 * Calls `ask` until it returns neither false nor undefined. Pass `withinMs` only for a time that the docs promise.
 * @param what the end of the sentence "waited … ms for"
 * @throws Error after `withinMs`
 */
export async function until<Answer>(
	what: string,
	ask: () => Answer | undefined | false | Promise<Answer | undefined | false>,
	{ withinMs = defaultLimitMs, everyMs = 10 }: Wait = {},
): Promise<Answer> {
	const startedAt = performance.now();
	for (;;) {
		const answer = await ask();
		if (answer !== undefined && answer !== false) return answer;
		if (performance.now() - startedAt > withinMs) throw new Error(`waited ${withinMs} ms for ${what}`);
		await sleep(everyMs);
	}
}

/** Whether a function returns, and does not throw. */
export function succeeds(work: () => unknown): boolean {
	try {
		work();
		return true;
	} catch {
		return false;
	}
}

/** Resolves with the promise's value. @throws Error with the name `what` if it takes longer */
export async function within<Value>(what: string, promise: Promise<Value>, limitMs = defaultLimitMs): Promise<Value> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => late.reject(new Error(`waited ${limitMs} ms for ${what}`)), limitMs);
	try {
		return await Promise.race([promise, late.promise]);
	} finally {
		clearTimeout(timer);
	}
}
