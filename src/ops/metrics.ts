// What operators watch, in the form of Prometheus.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
	observe(reply: { operation: string; status: number; seconds: number }): void;
	/** The text that `/metrics` answers. */
	text(): Promise<string>;
	readonly contentType: string;
}

/** @param queueLength creates that wait for their commit */
export function createMetrics(queueLength: () => number): Metrics {
	const registry = new Registry();
	const registers = [registry];
	collectDefaultMetrics({ register: registry });
	const requests = new Counter({
		name: "animal_store_requests_total",
		help: "Requests answered, by operation and status",
		labelNames: ["operation", "status"],
		registers,
	});
	const durations = new Histogram({
		name: "animal_store_request_duration_seconds",
		help: "Time from a request's headers to the end of its reply, by operation",
		labelNames: ["operation"],
		buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
		registers,
	});
	new Gauge({
		name: "animal_store_writes_waiting",
		help: "Writes that wait for their commit",
		registers,
		collect() {
			this.set(queueLength());
		},
	});
	return {
		observe({ operation, status, seconds }) {
			requests.inc({ operation, status });
			durations.observe({ operation }, seconds);
		},
		text: () => registry.metrics(),
		contentType: registry.contentType,
	};
}
