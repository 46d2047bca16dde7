// A bounded wait for something to become true, which names what it waited for when it gives up.

import { setTimeout as sleep } from "node:timers/promises";

/** What a test may take. */
export const testLimitMs = 20_000;

/** Of the few tests that take longer: each says why. */
export const slowMs = 120_000;

/** What must happen at all. In a test it is less than its limit, so that the test ends with the name of what did not happen. */
const usualLimitMs = process.env["NODE_TEST_CONTEXT"] ? 0.75 * testLimitMs : 60_000;

export interface Wait {
	withinMs?: number;
	/** Between two looks; 0 looks again in the next turn of the event loop. */
	everyMs?: number;
}

/**
 * Asks until the answer is neither false nor undefined. What must happen at all gets the generous default; a promised time is
 * given as `withinMs`.
 * @param what the end of the sentence "waited … ms for"
 * @throws Error when the time is over
 */
export async function until<Answer>(
	what: string,
	ask: () => Answer | undefined | false | Promise<Answer | undefined | false>,
	{ withinMs = usualLimitMs, everyMs = 10 }: Wait = {},
): Promise<Answer> {
	const startedAt = performance.now();
	for (;;) {
		const answer = await ask();
		if (answer !== undefined && answer !== false) return answer;
		if (performance.now() - startedAt > withinMs) throw new Error(`waited ${withinMs} ms for ${what}`);
		await sleep(everyMs);
	}
}

/** The promise's value, or an error that names what it was when it takes longer. */
export async function within<Value>(what: string, promise: Promise<Value>, limitMs = usualLimitMs): Promise<Value> {
	const late = Promise.withResolvers<never>();
	const timer = setTimeout(() => late.reject(new Error(`waited ${limitMs} ms for ${what}`)), limitMs);
	try {
		return await Promise.race([promise, late.promise]);
	} finally {
		clearTimeout(timer);
	}
}
