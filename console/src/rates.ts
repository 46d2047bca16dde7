// Computes rates per second from the differences between snapshots of counters, and keeps the last five minutes.
// Counters of different nodes are never compared; a restarted node counts as another one.

import type { Activity } from "../../src/contract/activity.ts";

type StatusClass = keyof Activity["requests"];

/** One moment of a plot: all nodes together, per second. */
export interface Sample {
	atMs: number;
	requests: Record<StatusClass, number>;
	/** Undefined without requests. */
	p50Ms: number | undefined;
	p99Ms: number | undefined;
	creates: number;
	/** Animals per commit; undefined when none were added. */
	meanBatch: number | undefined;
	animals: Activity["animals"];
	nodes: number;
}

export interface History {
	/** The last five minutes, oldest first. */
	samples: Sample[];
	/** @param atMs when the snapshot arrived */
	add(snapshot: Activity, atMs: number): void;
}

export const historyMs = 5 * 60_000;
/** After this time without a snapshot, a node is no longer counted. */
export const staleMs = 15_000;

interface Pace {
	requests: Record<StatusClass, number>;
	latencies: number[];
	animals: number;
	batches: number;
}

interface Node {
	snapshot: Activity;
	seenAtMs: number;
	pace: Pace | undefined;
}

export function createHistory(): History {
	const nodes = new Map<string, Node>();
	const history: History = { samples: [], add };

	function add(snapshot: Activity, atMs: number): void {
		for (const [name, { seenAtMs }] of nodes) if (atMs - seenAtMs > staleMs) nodes.delete(name);
		const before = nodes.get(snapshot.node)?.snapshot;
		nodes.set(snapshot.node, { snapshot, seenAtMs: atMs, pace: before && paceBetween(before, snapshot) });
		const paces = [...nodes.values()].flatMap(({ pace }) => pace ?? []);
		if (paces.length === 0) return;
		const recent = history.samples.filter((sample) => sample.atMs > atMs - historyMs);
		history.samples = [...recent, sampleOf(paces, snapshot, atMs)];
	}

	return history;
}

/** The rates of one node between two of its snapshots; undefined when no time passed. */
function paceBetween(before: Activity, after: Activity): Pace | undefined {
	const seconds = (after.uptimeMs - before.uptimeMs) / 1000;
	if (seconds <= 0) return undefined;
	const rate = (now: number, then: number) => (now - then) / seconds;
	return {
		requests: byClass((name) => rate(after.requests[name], before.requests[name])),
		latencies: after.latency.counts.map((count, index) => rate(count, before.latency.counts[index] ?? 0)),
		animals: rate(after.creates.animals, before.creates.animals),
		batches: rate(after.creates.batches, before.creates.batches),
	};
}

function sampleOf(paces: Pace[], { latency, animals }: Activity, atMs: number): Sample {
	const sum = (part: (pace: Pace) => number) => paces.reduce((total, pace) => total + part(pace), 0);
	const counts = latency.counts.map((_, index) => sum(({ latencies }) => latencies[index] ?? 0));
	const creates = sum((pace) => pace.animals);
	const batches = sum((pace) => pace.batches);
	return {
		atMs,
		requests: byClass((name) => sum(({ requests }) => requests[name])),
		p50Ms: percentile(latency.upToMs, counts, 0.5),
		p99Ms: percentile(latency.upToMs, counts, 0.99),
		creates,
		meanBatch: batches > 0 ? creates / batches : undefined,
		animals,
		nodes: paces.length,
	};
}

function byClass(value: (name: StatusClass) => number): Record<StatusClass, number> {
	return { "2xx": value("2xx"), "3xx": value("3xx"), "4xx": value("4xx"), "5xx": value("5xx") };
}

/**
 * The percentile, by linear interpolation within its bucket; undefined without counts. Values above the last bound
 * count as that bound, so the true percentile may be higher.
 */
export function percentile(upTo: number[], counts: number[], share: number): number | undefined {
	const total = counts.reduce((sum, count) => sum + count, 0);
	if (total <= 0) return undefined;
	let below = 0;
	for (const [index, upper] of upTo.entries()) {
		const count = counts[index] ?? 0;
		if (count > 0 && below + count >= share * total) {
			const lower = upTo[index - 1] ?? 0;
			return lower + ((share * total - below) / count) * (upper - lower);
		}
		below += count;
	}
	return upTo.at(-1);
}
