// The metrics of the service, in the Prometheus format.

import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Activity } from "../contract/activity.ts";

export interface Metrics {
	observe(reply: { operation: string; status: number; seconds: number }): void;
	/** All replies so far, by class of status and by duration. */
	replies(): Promise<Pick<Activity, "requests" | "latency">>;
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
		const requests = { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 };
		const upTo = new Map<number, number>();
		for (const { metricName, labels, value } of (await replies.get()).values) {
			if (metricName?.endsWith("_count")) requests[`${String(labels.status)[0]}xx` as "2xx"] += value;
			if (!metricName?.endsWith("_bucket")) continue;
			const { le } = labels as { le?: number | "+Inf" };
			const limit = le === "+Inf" ? Infinity : Number(le);
			upTo.set(limit, (upTo.get(limit) ?? 0) + value);
		}
		const sums = [...upToSeconds, Infinity].map((limit) => upTo.get(limit) ?? 0);
		const counts = sums.map((sum, index) => sum - (sums[index - 1] ?? 0));
		return { requests, latency: { upToMs: upToSeconds.map((seconds) => seconds * 1000), counts } };
	}

	return {
		replies: allReplies,
		observe: ({ operation, status, seconds }) => seriesOf(operation, status).observe(seconds),
		text: () => registry.metrics(),
		contentType: registry.contentType,
	};
}
