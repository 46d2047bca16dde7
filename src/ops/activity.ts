// The replies of this node and their p95 by minute, for the console's chart. They are kept in memory only.

import type { Minute } from "../contract/console.ts";
import type { Metrics } from "./metrics.ts";

const minutesMax = 180;

export function watchActivity({ latency, upToMs }: Pick<Metrics, "latency" | "upToMs">) {
	const past: Minute[] = [];
	let before = latency();
	const present = () =>
		minuteOf(
			upToMs,
			latency().map((count, index) => count - (before[index] ?? 0)),
		);
	const recorder = setInterval(() => {
		past.push(present());
		before = latency();
		if (past.length >= minutesMax) past.shift();
	}, 60_000).unref();
	/** `minutes`: the newest ones since the start, oldest first; the last one is not over. */
	return { minutes: () => [...past, present()], close: () => clearInterval(recorder) };
}

/** @param counts one more than `upToMs`: replies above the last bound, which count as that bound */
export function minuteOf(upToMs: number[], counts: number[]): Minute {
	const replies = counts.reduce((sum, count) => sum + count, 0);
	if (replies === 0) return { replies };
	const rank = 0.95 * replies;
	let below = 0;
	for (const [index, upper] of upToMs.entries()) {
		const count = counts[index] ?? 0;
		const lower = upToMs[index - 1] ?? 0;
		// Linear within the bucket.
		if (count > 0 && below + count >= rank)
			return { replies, p95Ms: lower + ((rank - below) / count) * (upper - lower) };
		below += count;
	}
	return { replies, p95Ms: upToMs.at(-1) ?? 0 };
}
