// Requests: rate, errors and duration by operation, refusals by reason, calls of deprecated
// operations by key, connections and bytes. All labels have a bounded number of values.

import { errorCodes } from "../contract/errors.ts";
import type { Reply, RouteName, TrafficCounts } from "../contract/observed.ts";
import { type OperationName, operations } from "../contract/operations.ts";
import {
	counter,
	counterBy,
	createSeries,
	type Family,
	gauge,
	histogramSamples,
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

export function createRequestMetrics(traffic: () => TrafficCounts) {
	const table = createTable();
	const refusals = new Map<string, number>([...errorCodes, "client_abort"].map((code) => [code, 0]));
	const deprecated = operationNames.filter((name) => "deprecation" in operations[name]);
	const callers = new Map<string, CallerCounts>(deprecated.map((name) => [name, createCallerCounts()]));
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
		counterBy(
			"reason",
			"animal_store_refusals_total",
			"Requests that failed, by error code, also those that are not HTTP; client_abort: the client left first.",
			() => refusals,
		),
		{
			name: "animal_store_deprecated_calls_total",
			help: `Calls of deprecated operations by key, for the ${callersMax} latest keys; other: all other keys.`,
			type: "counter",
			labels: ["operation", "key_id"],
			read: () =>
				[...callers].flatMap(([operation, calls]) =>
					calls.each().map(([keyId, value]) => ({ labels: { operation, key_id: keyId }, value })),
				),
		},
		...trafficFamilies(traffic),
	];
	return {
		families,
		observeReply({ route, method, status, seconds, reason, deprecatedCaller }: Reply): void {
			table.seriesOf(route, methodClassOf(method), status).observe(seconds);
			if (reason !== undefined) refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
			if (deprecatedCaller !== undefined) callers.get(route)?.count(deprecatedCaller);
		},
		/** Replies to operations by duration: one count for each of `upToMs`, and one for those above the last. */
		latency(): number[] {
			const counted = [...table.each()].filter(({ route }) => route in operations);
			const countAt = (index: number) => counted.reduce((sum, { series }) => sum + (series.counts[index] ?? 0), 0);
			return [...upToSeconds, Infinity].map((_, index) => countAt(index));
		},
		/** Upper bounds of the durations that are counted, in milliseconds. */
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

type CallerCounts = ReturnType<typeof createCallerCounts>;

/** Counts the calls of a key; of keys beyond the limit, the one that called longest ago joins the others. */
function createCallerCounts() {
	/** The latest caller last. */
	const values = new Map<string, number>();
	let others = 0;
	return {
		count(keyId: string): void {
			const value = values.get(keyId) ?? 0;
			values.delete(keyId);
			values.set(keyId, value + 1);
			if (values.size <= callersMax) return;
			const [oldest = "", calls = 0] = values.entries().next().value ?? [];
			others += calls;
			values.delete(oldest);
		},
		each: (): [keyId: string, value: number][] => [...values, ["other", others]],
	};
}

function trafficFamilies(traffic: () => TrafficCounts): Family[] {
	type Field = Exclude<keyof TrafficCounts, "connectionsRefused">;
	const figure = (of: typeof gauge, field: Field, name: string, help: string) => of(name, help, () => traffic()[field]);
	return [
		figure(gauge, "requestsInFlight", "animal_store_requests_in_flight", "Requests whose reply is not complete."),
		figure(gauge, "connections", "animal_store_connections", "Open connections of the public port."),
		figure(
			counter,
			"connectionsAccepted",
			"animal_store_connections_accepted_total",
			"Connections to the public port.",
		),
		counterBy(
			"reason",
			"animal_store_connections_refused_total",
			"Connections closed at once. reason: address_limit (CONNECTIONS_PER_ADDRESS) or total_limit.",
			() => Object.entries(traffic().connectionsRefused),
		),
		figure(
			counter,
			"receivedBytes",
			"animal_store_received_bytes_total",
			"Bytes received on the public port, with all headers.",
		),
		figure(counter, "sentBytes", "animal_store_sent_bytes_total", "Bytes sent on the public port, with all headers."),
	];
}
