// Requests: rate, errors and duration by operation, refusals by reason, calls of deprecated operations by key,
// connections and bytes. Every label has a bounded number of values.

import { errorCodes } from "../contract/errors.ts";
import type { ImportCounts, Reply, TrafficCounts } from "../contract/observed.ts";
import { type OperationName, operations } from "../contract/operations.ts";
import { createSeries, histogramSamples, type Series, samplesBy, upToSeconds } from "./exposition.ts";

const deprecated = (Object.keys(operations) as OperationName[]).filter((name) => "deprecation" in operations[name]);

/** How many keys have their own series; the calls of all others are counted together. */
export const callersMax = 50;

export function createRequestMetrics(traffic: () => TrafficCounts) {
	/** A few dozen at most: a linear search costs less than building a string as a key. */
	const durations: { operation: string; method: string; status: number; series: Series }[] = [];
	const imported: ImportCounts = { added: 0, present: 0, different: 0, removed: 0, invalid: 0 };
	const refusals = new Map<string, number>([...errorCodes, "client_abort"].map((code) => [code, 0]));
	const callers = new Map<string, CallerCounts>(deprecated.map((name) => [name, createCallerCounts()]));

	function seriesOf(operation: string, method: string, status: number): Series {
		for (const row of durations)
			if (row.status === status && row.operation === operation && row.method === method) return row.series;
		const series = createSeries(upToSeconds);
		durations.push({ operation, method, status, series });
		return series;
	}

	return {
		observeReply({ route, method, status, seconds, reason, deprecatedCaller, imported: rows }: Reply): void {
			seriesOf(route, methodClassOf(method), status).observe(seconds);
			if (reason !== undefined) refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
			for (const outcome in rows) imported[outcome as keyof ImportCounts] += rows[outcome as keyof ImportCounts];
			if (deprecatedCaller !== undefined) callers.get(route)?.count(deprecatedCaller);
		},
		/** Replies to operations by duration: one count for each of `upToMs`, and one for those above the last. */
		latency(): number[] {
			const counted = durations.filter(({ operation }) => operation in operations);
			const countAt = (index: number) => counted.reduce((sum, { series }) => sum + (series.counts[index] ?? 0), 0);
			return [...upToSeconds, Infinity].map((_, index) => countAt(index));
		},
		/** Upper bounds of the durations that are counted, in milliseconds. */
		upToMs: upToSeconds.map((seconds) => seconds * 1000),
		read() {
			const counts = traffic();
			return {
				animal_store_request_duration_seconds: durations.flatMap(({ operation, method, status, series }) =>
					histogramSamples(series, { operation, method, status: String(status) }),
				),
				animal_store_refusals_total: samplesBy("reason", refusals),
				animal_store_imported_rows_total: samplesBy("outcome", Object.entries(imported)),
				animal_store_deprecated_calls_total: [...callers].flatMap(([operation, calls]) =>
					calls.each().map(([keyId, value]) => ({ labels: { operation, key_id: keyId }, value })),
				),
				animal_store_requests_in_flight: counts.requestsInFlight,
				animal_store_connections: counts.connections,
				animal_store_connections_accepted_total: counts.connectionsAccepted,
				animal_store_connections_refused_total: samplesBy("reason", Object.entries(counts.connectionsRefused)),
				animal_store_received_bytes_total: counts.receivedBytes,
				animal_store_sent_bytes_total: counts.sentBytes,
			};
		},
	};
}

function methodClassOf(method: string): "read" | "write" | "other" {
	if (method === "GET" || method === "HEAD") return "read";
	return method === "POST" ? "write" : "other";
}

type CallerCounts = ReturnType<typeof createCallerCounts>;

interface Caller {
	keyId: string;
	calls: number;
	/** The number of all calls at its latest one. */
	latest: number;
}

/** Counts the calls of each key. Beyond the limit, the key that called longest ago is counted with the others. */
function createCallerCounts() {
	/** By key. A Map whose order changes with each call would be copied all the time. */
	const callers = new Map<string, Caller>();
	let all = 0;
	let others = 0;

	function add(keyId: string): Caller {
		const caller = { keyId, calls: 0, latest: all + 1 };
		callers.set(keyId, caller);
		if (callers.size <= callersMax) return caller;
		let oldest: Caller = caller;
		for (const each of callers.values()) if (each.latest < oldest.latest) oldest = each;
		others += oldest.calls;
		callers.delete(oldest.keyId);
		return caller;
	}

	return {
		count(keyId: string): void {
			const caller = callers.get(keyId) ?? add(keyId);
			caller.calls++;
			caller.latest = ++all;
		},
		each: (): [keyId: string, value: number][] => [
			...Array.from(callers.values(), ({ keyId, calls }): [string, number] => [keyId, calls]),
			["other", others],
		],
	};
}
