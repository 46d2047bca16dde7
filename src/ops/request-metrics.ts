// Requests: rate, errors and duration by operation, refusals by reason, calls of deprecated
// operations by key, connections and bytes. All labels have a bounded number of values.

import { errorCodes } from "../contract/errors.ts";
import type { Reply, RouteName, TrafficCounts } from "../contract/observed.ts";
import { type OperationName, operations } from "../contract/operations.ts";
import {
	createSeries,
	type Family,
	histogramSamples,
	one,
	type Sample,
	type Series,
	upToSeconds,
} from "./exposition.ts";

const operationNames = Object.keys(operations) as OperationName[];
const routeNames: RouteName[] = [...operationNames, "probe", "metrics", "page", "unknown"];
const methodClasses = ["read", "write", "other"] as const;
type MethodClass = (typeof methodClasses)[number];
/** How many keys have a series of their own; the calls of all others are counted together. */
export const callersMax = 50;

export interface RequestMetrics {
	families: Family[];
	observe(reply: Reply): void;
	/** Replies to operations by duration: one count for each of `upToMs`, and one for those above the last. */
	latency(): number[];
	/** Upper bounds of the durations that are counted, in milliseconds. */
	upToMs: number[];
}

export function createRequestMetrics(traffic: () => TrafficCounts): RequestMetrics {
	const table = createTable();
	const refusals = new Map<string, number>([...errorCodes, "client_abort"].map((code) => [code, 0]));
	const callers = createCallerCounts();
	const families: Family[] = [
		{
			name: "animal_store_request_duration_seconds",
			help:
				"Time from a request's headers to the end of its reply. operation: also probe, metrics, page and unknown; " +
				"method: read (GET, HEAD), write (POST) or other; status 499: the client left first.",
			type: "histogram",
			labels: ["operation", "method", "status"],
			read: () => table.samples(),
		},
		{
			name: "animal_store_refusals_total",
			help: "Requests that failed, by error code, also those that are not HTTP; client_abort: the client left first.",
			type: "counter",
			labels: ["reason"],
			read: () => [...refusals].map(([reason, value]) => ({ labels: { reason }, value })),
		},
		{
			name: "animal_store_deprecated_calls_total",
			help: `Calls of deprecated operations by key, for the ${callersMax} latest keys; other: all other keys.`,
			type: "counter",
			labels: ["operation", "key_id"],
			read: () => callers.samples(),
		},
		...trafficFamilies(traffic),
	];
	return {
		families,
		observe({ route, method, status, seconds, reason, deprecatedCaller }) {
			table.seriesOf(route, methodClassOf(method), status).observe(seconds);
			if (reason !== undefined) refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
			if (deprecatedCaller !== undefined) callers.count(route, deprecatedCaller);
		},
		latency() {
			const counted = [...table.each()].filter(({ route }) => route in operations);
			const countAt = (index: number) => counted.reduce((sum, { series }) => sum + (series.counts[index] ?? 0), 0);
			return [...upToSeconds, Infinity].map((_, index) => countAt(index));
		},
		upToMs: upToSeconds.map((seconds) => seconds * 1000),
	};
}

function methodClassOf(method: string): MethodClass {
	if (method === "GET" || method === "HEAD") return "read";
	return method === "POST" ? "write" : "other";
}

/** The series by route, class of method, and status. */
function createTable() {
	const newRow = () => ({ read: [] as Series[], write: [] as Series[], other: [] as Series[] });
	const rows = Object.fromEntries(routeNames.map((name) => [name, newRow()])) as Record<
		RouteName,
		ReturnType<typeof newRow>
	>;
	function* each() {
		for (const route of routeNames) {
			for (const method of methodClasses) {
				for (const [status, series] of rows[route][method].entries())
					if (series) yield { route, method, status, series };
			}
		}
	}
	return {
		each,
		seriesOf(route: RouteName, method: MethodClass, status: number): Series {
			const row = rows[route][method];
			const found = row[status];
			if (found) return found;
			const series = createSeries(upToSeconds);
			row[status] = series;
			return series;
		},
		*samples(): Iterable<Sample> {
			for (const { route, method, status, series } of each())
				yield* histogramSamples(series, upToSeconds, { operation: route, method, status: String(status) });
		},
	};
}

/** Counts by operation and key; of keys beyond the limit, the one that called longest ago joins the others. */
function createCallerCounts() {
	const others = new Map<string, number>(
		operationNames.filter((name) => "deprecation" in operations[name]).map((name) => [name, 0]),
	);
	type Entry = { operation: string; keyId: string; value: number; turn: number };
	/** By operation and key. */
	const counts = new Map<string, Map<string, Entry>>();
	const all = () => [...counts.values()].flatMap((byKey) => [...byKey.values()]);
	let size = 0;
	let turn = 0;
	function add(operation: string, keyId: string): Entry {
		if (size >= callersMax) dropOldest();
		const entry = { operation, keyId, value: 0, turn };
		const byKey = counts.get(operation) ?? new Map<string, Entry>();
		counts.set(operation, byKey.set(keyId, entry));
		size++;
		return entry;
	}
	function dropOldest(): void {
		const { operation, keyId, value } = all().reduce((one, other) => (one.turn < other.turn ? one : other));
		others.set(operation, (others.get(operation) ?? 0) + value);
		counts.get(operation)?.delete(keyId);
		size--;
	}
	return {
		count(operation: string, keyId: string): void {
			const entry = counts.get(operation)?.get(keyId) ?? add(operation, keyId);
			entry.value++;
			entry.turn = turn++;
		},
		samples: (): Sample[] => [
			...all().map(({ operation, keyId, value }) => ({ labels: { operation, key_id: keyId }, value })),
			...[...others].map(([operation, value]) => ({ labels: { operation, key_id: "other" }, value })),
		],
	};
}

function trafficFamilies(traffic: () => TrafficCounts): Family[] {
	return [
		one("gauge", "animal_store_requests_in_flight", "Requests whose reply is not complete.", () => {
			return traffic().requestsInFlight;
		}),
		one("gauge", "animal_store_connections", "Open connections of the public port.", () => traffic().connections),
		one("counter", "animal_store_connections_accepted_total", "Connections to the public port.", () => {
			return traffic().connectionsAccepted;
		}),
		{
			name: "animal_store_connections_refused_total",
			help: "Connections closed at once. reason: address_limit (CONNECTIONS_PER_ADDRESS) or total_limit.",
			type: "counter",
			labels: ["reason"],
			read: () =>
				Object.entries(traffic().connectionsRefused).map(([reason, value]) => ({ labels: { reason }, value })),
		},
		one("counter", "animal_store_received_bytes_total", "Bytes received on the public port, with all headers.", () => {
			return traffic().receivedBytes;
		}),
		one("counter", "animal_store_sent_bytes_total", "Bytes sent on the public port, with all headers.", () => {
			return traffic().sentBytes;
		}),
	];
}
