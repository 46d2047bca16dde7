// Metrics of requests, refusals and connections. Every label has a bounded number of values.

import { createHistogram } from "node:perf_hooks";
import { errorCodes } from "../contract/errors.ts";
import type { Reply, TrafficCounts } from "../contract/observed.ts";
import { operations } from "../contract/operations.ts";
import { createSeries, histogramSamples, type Series, samplesBy, upToSeconds } from "./exposition.ts";

export function createRequestMetrics(traffic: () => TrafficCounts) {
	/** At most a few dozen rows: a linear search takes less time than building a string as a key. */
	const durations: { operation: string; method: string; status: number; series: Series }[] = [];
	const operationTimes = createHistogram({ highest: 1e9, figures: 2 });
	const refusals = new Map<string, number>([...errorCodes, "client_abort"].map((code) => [code, 0]));

	function seriesOf(operation: string, method: string, status: number): Series {
		for (const row of durations)
			if (row.status === status && row.operation === operation && row.method === method) return row.series;
		const series = createSeries(upToSeconds);
		durations.push({ operation, method, status, series });
		return series;
	}

	return {
		observeReply({ route, method, status, seconds, reason }: Reply): void {
			seriesOf(route, methodClassOf(method), status).observe(seconds);
			if (route in operations) operationTimes.record(Math.max(1, Math.round(seconds * 1e6)));
			if (reason !== undefined) refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
		},
		/** The durations of the replies to operations, in microseconds. `watchActivity` resets them every minute. */
		operationTimes,
		read() {
			const counts = traffic();
			return {
				animal_store_request_duration_seconds: durations.flatMap(({ operation, method, status, series }) =>
					histogramSamples(series, { operation, method, status: String(status) }),
				),
				animal_store_refusals_total: samplesBy("reason", refusals),
				animal_store_requests_in_flight: counts.requestsInFlight,
				animal_store_connections: counts.connections,
				animal_store_connections_refused_total: samplesBy("reason", Object.entries(counts.connectionsRefused)),
			};
		},
	};
}

function methodClassOf(method: string): "read" | "write" | "other" {
	if (method === "GET" || method === "HEAD") return "read";
	return method === "POST" ? "write" : "other";
}
