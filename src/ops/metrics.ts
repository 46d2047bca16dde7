// The metrics of the service, in the Prometheus format.

import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Moment, ReplyCounts } from "../contract/activity.ts";
import { type OperationName, operations } from "../contract/operations.ts";

export interface Metrics {
	observe(reply: { operation: string; status: number; seconds: number }): void;
	/** All replies so far. */
	replies(): Promise<Moment["replies"]>;
	/** Upper bounds of the durations that are counted, in milliseconds. */
	readonly upToMs: number[];
	/** The body of `/metrics`. */
	text(): Promise<string>;
	readonly contentType: string;
}

/** @param queueLength the number of creates that wait for their commit */
export function createMetrics(queueLength: () => number): Metrics {
	const registry = new Registry();
	const registers = [registry];
	collectDefaultMetrics({ register: registry });
	const upToSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
	const replies = new Histogram({
		name: "animal_store_request_duration_seconds",
		help: "Time from a request's headers to the end of its reply, by operation and status",
		labelNames: ["operation", "status"],
		buckets: upToSeconds,
		registers,
	});
	const series = new Map<string, { observe(seconds: number): void }>();
	function seriesOf(operation: string, status: number) {
		const name = operation + status;
		const histogram = series.get(name) ?? replies.labels(operation, String(status));
		series.set(name, histogram);
		return histogram;
	}
	new Gauge({
		name: "animal_store_writes_waiting",
		help: "Writes that wait for their commit",
		registers,
		collect() {
			this.set(queueLength());
		},
	});
	async function allReplies() {
		const names = [...Object.keys(operations), "none"] as (OperationName | "none")[];
		const found = Object.fromEntries(names.map((name) => [name, emptyCounts()])) as Moment["replies"];
		for (const { metricName, labels, value } of (await replies.get()).values) {
			const { operation, status, le } = labels as { operation: OperationName | "none"; status: string; le?: number };
			const { requests, latency } = found[operation];
			if (metricName?.endsWith("_count")) requests[`${status[0]}xx` as "2xx"] += value;
			else if (metricName?.endsWith("_bucket")) addTo(latency, upToSeconds.indexOf(Number(le)), value);
		}
		// The histogram counts each reply in every bucket above its duration.
		for (const { latency } of Object.values(found))
			for (let index = latency.length - 1; index > 0; index--) addTo(latency, index, -(latency[index - 1] ?? 0));
		return found;
	}
	const emptyCounts = (): ReplyCounts => ({
		requests: { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 },
		latency: [...upToSeconds, Infinity].map(() => 0),
	});

	return {
		replies: allReplies,
		upToMs: upToSeconds.map((seconds) => seconds * 1000),
		observe: ({ operation, status, seconds }) => seriesOf(operation, status).observe(seconds),
		text: () => registry.metrics(),
		contentType: registry.contentType,
	};
}

/** @param index -1 is the last, for durations above all bounds */
function addTo(counts: number[], index: number, value: number): void {
	const at = index < 0 ? counts.length - 1 : index;
	counts[at] = (counts[at] ?? 0) + value;
}
