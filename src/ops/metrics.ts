// What operators watch, in the form of Prometheus.

import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

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
	const replies = new Histogram({
		name: "animal_store_request_duration_seconds",
		help: "Time from a request's headers to the end of its reply, by operation and status",
		labelNames: ["operation", "status"],
		buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
		registers,
	});
	const series = new Map<string, { observe(seconds: number): void }>();
	function seriesOf(operation: string, status: number) {
		const name = operation + status;
		const known = series.get(name) ?? replies.labels(operation, String(status));
		series.set(name, known);
		return known;
	}
	new Gauge({
		name: "animal_store_writes_waiting",
		help: "Writes that wait for their commit",
		registers,
		collect() {
			this.set(queueLength());
		},
	});
	return {
		observe: ({ operation, status, seconds }) => seriesOf(operation, status).observe(seconds),
		text: () => registry.metrics(),
		contentType: registry.contentType,
	};
}
