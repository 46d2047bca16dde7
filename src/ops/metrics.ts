// The metrics of the service. docs/metrics.md lists them; a test compares it with `families`.

import type { Reply, TrafficCounts } from "../contract/observed.ts";
import type { BackgroundTask, Commit } from "../store/store.ts";
import { contentType, expose, type Family } from "./exposition.ts";
import { createProcessMetrics, type ProcessSources } from "./process-metrics.ts";
import { createRequestMetrics } from "./request-metrics.ts";
import { createStoreMetrics, type StoreSources } from "./store-metrics.ts";

export interface Metrics {
	observeReply(reply: Reply): void;
	observeCommit(commit: Commit): void;
	observeFailure(task: BackgroundTask): void;
	/** All replies to operations so far, by duration: one more count than `upToMs`. */
	latency(): number[];
	/** Upper bounds of the durations that are counted, in milliseconds. */
	readonly upToMs: number[];
	readonly families: readonly Family[];
	/** The body of `/metrics`. */
	text(): Promise<string>;
	readonly contentType: string;
	close(): void;
}

export interface MetricsSources extends ProcessSources {
	traffic: () => TrafficCounts;
	/** Undefined until the store is open. */
	store: () => StoreSources | undefined;
}

export function createMetrics({ traffic, store, ...sources }: MetricsSources): Metrics {
	const requests = createRequestMetrics(traffic);
	const ofStore = createStoreMetrics(store);
	const ofProcess = createProcessMetrics(sources);
	const families = [...requests.families, ...ofStore.families, ...ofProcess.families];
	return {
		observeReply: requests.observe,
		observeCommit: ofStore.observeCommit,
		observeFailure: ofStore.observeFailure,
		latency: requests.latency,
		upToMs: requests.upToMs,
		families,
		text: () => expose(families),
		contentType,
		close: ofProcess.close,
	};
}
