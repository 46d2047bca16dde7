// The metrics of the service. A table has their names, types, meanings and labels; docs/monitoring.md repeats it. The
// values are read at each scrape, and the process's metrics are appended.

import type { TrafficCounts } from "../contract/observed.ts";
import { backgroundTasks } from "../store/store.ts";
import { contentType, expose, exposeProcess, type Metric, samplesBy, type Value } from "./exposition.ts";
import { createRequestMetrics } from "./request-metrics.ts";
import { createStoreMetrics, type StoreSources } from "./store-metrics.ts";

const metric =
	(type: Metric["type"]) =>
	(help: string, labels: string[] = []): Metric => ({ type, help, labels });
const counter = metric("counter");
const gauge = metric("gauge");
const histogram = metric("histogram");

export const metricTable = {
	animal_store_request_duration_seconds: histogram(
		"Time from a request's headers to the end of its reply. " +
			"operation: its name, or probe, metrics, console, import, page or unknown; " +
			"method: read (GET, HEAD), write (POST) or other; status 499: the client left first.",
		["operation", "method", "status"],
	),
	animal_store_refusals_total: counter(
		"Failed requests by error code, including those that are not HTTP; client_abort: the client left first.",
		["reason"],
	),
	animal_store_requests_in_flight: gauge("Requests whose reply is not complete."),
	animal_store_connections: gauge("Open connections of the public port."),
	animal_store_connections_refused_total: counter(
		"Connections closed immediately. reason: address_limit (CONNECTIONS_PER_ADDRESS) or total_limit.",
		["reason"],
	),
	animal_store_commit_duration_seconds: histogram(
		"Time from the start of a batch's transaction until its writes are on disk, including failed batches.",
	),
	animal_store_sync_duration_seconds: histogram(
		"SQLite: the part of a commit that writes the WAL and waits for the disk.",
	),
	animal_store_batch_writes: histogram("Writes in one commit; each row of an import counts as one."),
	animal_store_commits_failed_total: counter("Batches that were not stored."),
	animal_store_background_failures_total: counter(
		`Failures of background work, which is retried later. task: ${backgroundTasks.join(", ")}.`,
		["task"],
	),
	animal_store_writable: gauge("1 while the store accepts writes, 0 while it refuses them."),
	animal_store_writes_waiting: gauge("Writes that wait for their commit."),
	animal_store_oldest_write_waiting_seconds: gauge(
		"How long the oldest of the waiting writes has waited; 0 if none waits.",
	),
	animal_store_animals: gauge(
		"Animals in the whole store by status (none: no status); absent while they cannot be counted.",
		["status"],
	),
	animal_store_last_backup_timestamp_seconds: gauge(
		"When the service completed its last backup, in seconds since 1970; 0 before the first; absent without BACKUP_TO.",
	),
	animal_store_backup_interval_seconds: gauge("BACKUP_EVERY in seconds; absent without BACKUP_TO."),
	animal_store_backup_on_store_disk: gauge(
		"1 while BACKUP_TO is on the disk of the store, where one failure takes both; absent without BACKUP_TO.",
	),
	animal_store_database_bytes: gauge("SQLite: size of the database file."),
	animal_store_wal_bytes: gauge("SQLite: size of the write-ahead log (the file -wal)."),
	animal_store_disk_free_bytes: gauge("SQLite: free space that the service may use where the database is."),
	animal_store_disk_size_bytes: gauge("SQLite: size of the file system where the database is."),
	animal_store_pool_connections: gauge("PostgreSQL: connections of the pool. state: in_use or idle.", ["state"]),
	animal_store_pool_waiting: gauge("PostgreSQL: queries that wait for a connection of the pool."),
	animal_store_build_info: gauge("Always 1; the label is the service's version.", ["version"]),
	animal_store_log_lines_dropped_total: counter("Log lines dropped because the log was not read in time."),
} satisfies Record<string, Metric>;

export type Metrics = ReturnType<typeof createMetrics>;

interface Sources {
	version: string;
	droppedLogLines: () => number;
	traffic: () => TrafficCounts;
	store: () => StoreSources;
}

export function createMetrics({ version, droppedLogLines, traffic, store }: Sources) {
	const { read: readRequests, ...ofRequests } = createRequestMetrics(traffic);
	const { read: readStore, ...ofStore } = createStoreMetrics(store);
	async function text(): Promise<string> {
		const values: Record<keyof typeof metricTable, Value> = {
			...readRequests(),
			...(await readStore()),
			animal_store_build_info: samplesBy("version", [[version, 1]]),
			animal_store_log_lines_dropped_total: droppedLogLines(),
		};
		return (await Promise.all([expose(metricTable, values), exposeProcess()])).join("\n");
	}
	return { ...ofRequests, ...ofStore, text, contentType };
}
