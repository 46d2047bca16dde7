// bench/metrics.ts loads this file before the service. Metrics and log lines are on for one slice of time and off for
// the next. When the service ends, the file that BENCH_FIGURES names gets the main thread's CPU time per request in
// each slice. The median of the slices says more than their sum, because other programs disturb single slices.

import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const sliceMs = 50;
/** The first requests are not counted, because the code is still being compiled. */
const firstRequests = 50_000;
/** A slice with fewer requests is ignored. */
const leastRequests = 100;
let requests = 0;
let requestsBefore = 0;
/** Microseconds of CPU time per request in each slice. */
const figures: Record<"on" | "off", number[]> = { on: [], off: [] };
let mode: keyof typeof figures = "off";
let usedBefore = cpuMicros();

function cpuMicros(): number {
	const { user, system } = process.threadCpuUsage();
	return user + system;
}

setInterval(() => {
	const used = cpuMicros();
	const count = requests - requestsBefore;
	if (requests > firstRequests && count >= leastRequests) figures[mode].push((used - usedBefore) / count);
	usedBefore = used;
	requestsBefore = requests;
	mode = mode === "on" ? "off" : "on";
}, sliceMs).unref();
process.once("exit", () => writeFileSync(process.env["BENCH_FIGURES"] ?? "", JSON.stringify(figures)));

/** Counts a request. @returns whether metrics and log lines are on for it */
export function isFollowed(): boolean {
	requests++;
	return mode === "on";
}
Reflect.set(globalThis, "isFollowed", isFollowed);

const source = (real: string) => `
import { createReplyWatch as createReal } from ${JSON.stringify(real)};
export * from ${JSON.stringify(real)};
export function createReplyWatch(options) {
	const real = createReal(options);
	return {
		...real,
		end(exchange) {
			if (globalThis.isFollowed()) real.end(exchange);
		},
	};
}`;

registerHooks({
	resolve(specifier, context, next) {
		const found = next(specifier, context);
		if (!specifier.endsWith("/reply-watch.ts")) return found;
		const url = `data:text/javascript,${encodeURIComponent(source(`${found.url}?real`))}`;
		return { url, format: "module", shortCircuit: true };
	},
});
