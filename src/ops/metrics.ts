// The metrics of the service. docs/metrics.md lists them; a test compares it with `families`.

import type { TrafficCounts } from "../contract/observed.ts";
import { contentType, expose } from "./exposition.ts";
import { createProcessMetrics, type ProcessSources } from "./process-metrics.ts";
import { createRequestMetrics } from "./request-metrics.ts";
import { createStoreMetrics, type StoreSources } from "./store-metrics.ts";

export type Metrics = ReturnType<typeof createMetrics>;

export interface MetricsSources extends ProcessSources {
	traffic: () => TrafficCounts;
	/** Undefined until the store is open. */
	store: () => StoreSources | undefined;
}

export function createMetrics({ traffic, store, ...sources }: MetricsSources) {
	const requests = createRequestMetrics(traffic);
	const ofStore = createStoreMetrics(store);
	const ofProcess = createProcessMetrics(sources);
	const families = [...requests.families, ...ofStore.families, ...ofProcess.families];
	/** The body of `/metrics`. */
	const text = () => expose(families);
	return { ...requests, ...ofStore, families, text, contentType, close: ofProcess.close };
}
