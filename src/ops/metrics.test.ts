// The values of the metrics, without a server.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply } from "../contract/observed.ts";
import { createTraffic } from "../http/traffic.ts";
import { StorageUnavailable, type Store } from "../store/store.ts";
import { createSeries, expose, exposeProcess, histogramSamples, type Value } from "./exposition.ts";
import { createMetrics, metricTable } from "./metrics.ts";
import { createRequestMetrics } from "./request-metrics.ts";
import { createStoreMetrics } from "./store-metrics.ts";

const traffic = createTraffic({ log: { warn() {} } }).read;
const getPet: Reply = { route: "getPet", method: "GET", status: 200, seconds: 0.001 };

const textOf = (values: Record<string, Value>) => expose(metricTable, values);

/** The sample lines of one metric, without the lines HELP and TYPE. */
async function linesOf(metrics: ReturnType<typeof createRequestMetrics>, name: string): Promise<string[]> {
	const lines = (await textOf(metrics.read())).split("\n");
	return lines.filter((line) => line.startsWith(name));
}

test("a histogram counts each value in every bucket up to its bound, and the last bucket has all", async () => {
	const observed = createSeries([1, 2]);
	for (const value of [0.5, 1, 1.5, 9]) observed.observe(value);
	assert.equal(
		await expose({ h: { help: "Help.", type: "histogram", labels: [] } }, { h: histogramSamples(observed) }),
		'# HELP h Help.\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="2"} 3\nh_bucket{le="+Inf"} 4\nh_sum 12\nh_count 4\n',
	);
});

test("the number of series is bounded, whatever clients send", async () => {
	const metrics = createRequestMetrics(traffic);
	for (let index = 0; index < 2000; index++) {
		metrics.observeReply({ ...getPet, method: `M${index}` });
		metrics.observeReply({ ...getPet, route: "unknown", method: `M${index}`, status: 404, reason: "route_not_found" });
	}
	assert.ok((await textOf(metrics.read())).split("\n").length < 160);
});

test("methods are read, write or other; failures are counted by reason", async () => {
	const metrics = createRequestMetrics(traffic);
	const refusals = await linesOf(metrics, "animal_store_refusals_total");
	assert.equal(refusals.at(-1), 'animal_store_refusals_total{reason="client_abort"} 0', "before the first refusal");
	for (const method of ["GET", "HEAD", "POST", "OPTIONS", "PROPFIND"]) metrics.observeReply({ ...getPet, method });
	metrics.observeReply({ ...getPet, status: 503, reason: "overloaded" });
	const counts = await linesOf(metrics, "animal_store_request_duration_seconds_count");
	assert.deepEqual(
		counts.map((line) => line.replace(/^.*operation="getPet",/, "")),
		[
			'method="read",status="200"} 2',
			'method="write",status="200"} 1',
			'method="other",status="200"} 2',
			'method="read",status="503"} 1',
		],
	);
	const counted = await linesOf(metrics, "animal_store_refusals_total");
	assert.ok(counted.includes('animal_store_refusals_total{reason="overloaded"} 1'));
	metrics.observeReply({ route: "page", method: "GET", status: 200, seconds: 0.001 });
	const { count, min } = metrics.operationTimes;
	assert.deepEqual([count, min], [6, 1000], "replies to operations count, replies with pages do not");
	metrics.observeReply({ ...getPet, seconds: 600 });
	assert.equal(Math.round(metrics.operationTimes.max / 1e7), 60, "long replies, too");
});

test("times are in seconds, each failure is counted, and before the store is open nothing waits", async () => {
	const metrics = createStoreMetrics(() => ({}));
	metrics.observeCommit({ writes: 3, ms: 20, syncMs: 5, isStored: false });
	metrics.observeCommit({ writes: 1, ms: 30, syncMs: undefined, isStored: false });
	for (let failures = 0; failures < 3; failures++) metrics.observeFailure("sweep");
	const text = await textOf(await metrics.read());
	for (const line of [
		"commit_duration_seconds_sum 0.05",
		"sync_duration_seconds_sum 0.005",
		"sync_duration_seconds_count 1",
		"batch_writes_sum 4",
		"commits_failed_total 2",
		'background_failures_total{task="sweep"} 3',
		'background_failures_total{task="backup"} 0',
		"writes_waiting 0",
		"oldest_write_waiting_seconds 0",
	])
		assert.ok(text.includes(`\nanimal_store_${line}\n`), line);
	const bounds = (name: string) =>
		[...text.matchAll(new RegExp(`^${name}_bucket{le="(.+)"}`, "gm"))].map(([, le]) => le);
	const upToSeconds = "0.0005 0.001 0.0025 0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf";
	assert.equal(bounds("animal_store_commit_duration_seconds").join(" "), upToSeconds);
	assert.equal(bounds("animal_store_batch_writes").join(" "), "1 2 5 10 20 50 100 200 500 1000 +Inf");
	const all = createMetrics({ version: "1", droppedLogLines: () => 7, traffic, store: () => ({}) });
	assert.match(await all.text(), /^animal_store_log_lines_dropped_total 7$/m);
});

test("a scrape while the store cannot be read has all figures but the animals", async () => {
	let state = "working";
	const checkWrites = async () => {
		state = "failing";
	};
	const store = {
		queue: { length: 3 },
		writeState: () => state,
		readUse: async () => ({
			files: { databaseBytes: 11, walBytes: 12, diskFreeBytes: 13, diskBytes: 14 },
			pool: { inUse: 15, idle: 16, waiting: 17 },
		}),
		countPets: () => Promise.reject(new StorageUnavailable("away")),
		checkWrites,
	} as unknown as Store;
	const backups = { everyMs: 3_600_000, lastAtMs: () => 5000, isOnStoreDisk: () => true };
	const text = await textOf(await createStoreMetrics(() => ({ store, backups })).read());
	for (const line of [
		...["writable 0", "last_backup_timestamp_seconds 5", "backup_interval_seconds 3600", "backup_on_store_disk 1"],
		...["writes_waiting 3", "database_bytes 11", "wal_bytes 12", "disk_free_bytes 13", "disk_size_bytes 14"],
		...['pool_connections{state="in_use"} 15', 'pool_connections{state="idle"} 16', "pool_waiting 17"],
	])
		assert.ok(text.includes(`\nanimal_store_${line}\n`), line);
	assert.doesNotMatch(text, /^animal_store_animals\{/m);
});

test("a scrape while the disk hangs, so that no write ends, has the figures of the queue after two seconds", async (context) => {
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const store = {
		queue: { length: 3, oldestMs: 60_000 },
		writeState: () => "slow",
		readUse: async () => ({}),
		countPets: async () => ({ counts: {} }),
		checkWrites: () => new Promise(() => {}),
	} as unknown as Store;
	const reading = createStoreMetrics(() => ({ store })).read();
	context.mock.timers.tick(2000);
	const text = await textOf(await reading);
	assert.match(text, /^animal_store_oldest_write_waiting_seconds 60$/m);
	assert.match(text, /^animal_store_writable 1$/m, "slow writes are writes");
});

test("the process's metrics have the names that dashboards for Node expect, and none that promtool refuses", async () => {
	const text = await exposeProcess();
	const expected = ["process_resident_memory_bytes", "process_open_fds", "nodejs_heap_size_used_bytes"];
	for (const name of [...expected, "nodejs_eventloop_lag_p99_seconds", "nodejs_gc_duration_seconds"])
		assert.match(text, new RegExp(`^# TYPE ${name} `, "m"));
	for (const [, name = "", type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm))
		assert.equal(name.endsWith("_total"), type === "counter", name);
	assert.doesNotMatch(text, /eventloop_utilization/, "it is not measured");
});
