// Writes the Prometheus text format with the official client library, and keeps the series of histograms. The library
// is loaded when metrics are first read, because loading takes 60 to 110 ms of CPU; observations need only an array.
// The library also measures the process, under the names that dashboards for Node expect.

import type { Gauge, Registry } from "@prometheus-io/client";

export interface Metric {
	type: "counter" | "gauge" | "histogram";
	help: string;
	labels: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

export interface Sample {
	labels?: Labels;
	/** Appended to the name of the metric, such as `_sum`. */
	suffix?: string;
	value: number;
}

/** The value of a metric at a scrape. Undefined means unknown and gives no samples. */
export type Value = number | Iterable<Sample> | undefined;

export type Series = ReturnType<typeof createSeries>;

/** @param bounds ascending upper bounds of the buckets */
export function createSeries(bounds: readonly number[]) {
	const series = {
		bounds,
		/** The number of observations in each bucket; there is one more bucket than bounds. */
		counts: [...bounds, Infinity].map(() => 0),
		sum: 0,
		observe(value: number): void {
			let index = 0;
			while (index < bounds.length && value > (bounds[index] as number)) index++;
			(series.counts[index] as number)++;
			series.sum += value;
		},
	};
	return series;
}

/** The samples of a histogram's series, with cumulative buckets. */
export function histogramSamples({ counts, bounds, sum }: Series, labels: Labels = {}): Sample[] {
	let count = 0;
	const buckets = counts.map((own, index): Sample => {
		count += own;
		return { suffix: "_bucket", labels: { ...labels, le: String(bounds[index] ?? "+Inf") }, value: count };
	});
	return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: count }];
}

export const upToSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A sample for each value of a label. */
export function samplesBy(label: string, values: Iterable<[string, number]>): Sample[] {
	return [...values].map(([text, value]) => ({ labels: { [label]: text }, value }));
}

const loadClient = () => import("@prometheus-io/client");

export const contentType = "text/plain; version=0.0.4; charset=utf-8";

export async function expose(table: Readonly<Record<string, Metric>>, values: Readonly<Record<string, Value>>) {
	const { Registry } = await loadClient();
	const registry = new Registry();
	for (const [name, { help, type }] of Object.entries(table)) {
		const given = values[name] ?? [];
		const samples: Iterable<Sample> = typeof given === "number" ? [{ value: given }] : given;
		const all = [...samples].map(({ suffix = "", ...sample }) => ({ metricName: name + suffix, ...sample }));
		// The library calls no other function of a metric, so the values can be kept outside the library.
		registry.registerMetric({ name, get: async () => ({ name, help, type, values: all }) } as unknown as Gauge);
	}
	return registry.metrics();
}

/** Measuring utilization cannot be turned off, so its interval is the longest timer: 24.8 days instead of 0.1 s. */
const neverMs = 2 ** 31 - 1;

/**
 * The metrics that are left out: utilization of the event loop (see `neverMs`), and active resources. These resources
 * would be counted one by one at each scrape, and promtool refuses the names of their totals.
 */
const leftOut = /^nodejs_(active_|eventloop_utilization_)/;

let registry: Promise<Registry> | undefined;

/** The process's part of the body of `/metrics`. The event loop's delay is measured from the first call on. */
export async function exposeProcess(): Promise<string> {
	registry ??= createRegistry();
	return (await registry).metrics();
}

async function createRegistry(): Promise<Registry> {
	const { Registry, collectDefaultMetrics } = await loadClient();
	const created = new Registry();
	collectDefaultMetrics({ register: created, eventLoopUtilizationTimeout: neverMs });
	for (const { name } of created.getMetricsAsArray()) if (leftOut.test(name)) created.removeSingleMetric(name);
	return created;
}
