// The console's figures of this node: replies per minute and their p95, kept in memory only.

import type { Minute } from "../contract/console.ts";
import type { Metrics } from "./metrics.ts";

const minutesMax = 180;

export function watchActivity({ operationTimes: times }: Pick<Metrics, "operationTimes">) {
	const past: Minute[] = [];
	const present = (): Minute =>
		times.count === 0 ? { replies: 0 } : { replies: times.count, p95Ms: times.percentile(95) / 1000 };
	const recorder = setInterval(() => {
		past.push(present());
		times.reset();
		if (past.length >= minutesMax) past.shift();
	}, 60_000).unref();
	/** `minutes`: since the start, at most the newest 180, oldest first; the last minute is not over. */
	return { minutes: () => [...past, present()], close: () => clearInterval(recorder) };
}
