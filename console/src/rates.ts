// Rates per second from the differences between snapshots of counters, over the last hour. Counters of different nodes
// are never compared; a restarted node counts as another one.

import type { Activity, Moment, ReplyCounts } from "../../src/contract/activity.ts";

export type OperationLabel = keyof Moment["replies"];

/** What happened per second on one node, or on several together. */
export interface Pace {
	operations: Record<OperationLabel, ReplyCounts>;
	animals: number;
	batches: number;
}

/** One moment of a plot. */
export interface Sample {
	atMs: number;
	/** All nodes together; undefined when none was read then. */
	pace?: Pace | undefined;
	/** Requests per second by node. */
	byNode: Record<string, number>;
	/** Animals in the store; undefined before the first reading. */
	animals?: number | undefined;
}

export interface History {
	upToMs: number[];
	animals?: Activity["animals"] | undefined;
	/** How often operators had edited animals then. */
	edits?: number;
	/** Names of the nodes that were read, in the order of their first reading. */
	nodes: string[];
	/** Starts of nodes, in milliseconds since 1970. */
	starts: { node: string; atMs: number }[];
	/** @param atMs when the snapshot arrived */
	add(snapshot: Activity, atMs: number): void;
	/** The nodes that were read within the last minute: their own history would add nothing. */
	recent(nowMs: number): string[];
	/** Samples from `nowMs - rangeMs` to `nowMs`, one each `stepMs`. */
	samples(range: Range, nowMs: number): Sample[];
}

export interface Range {
	rangeMs: number;
	stepMs: number;
}

export const ranges = {
	"5 min": { rangeMs: 300_000, stepMs: 2_000 },
	"1 h": { rangeMs: 3_600_000, stepMs: 20_000 },
} satisfies Record<string, Range>;

/** A rate still counts for this long after its reading. A node that was not read again then has none. */
export const heldMs = 15_000;
const recentMs = 60_000;
const keptMs = ranges["1 h"].rangeMs + heldMs;

/** What happened between two readings. */
interface Span {
	fromMs: number;
	toMs: number;
	pace: Pace;
}

interface Node {
	last: Moment;
	/** When `last` arrived. */
	readAtMs: number;
	spans: Span[];
}

export function createHistory(): History {
	const nodes = new Map<string, Node>();
	let totals: { atMs: number; animals: number }[] = [];
	const history: History = { upToMs: [], nodes: [], starts: [], add, recent, samples };

	function add({ node: name, upToMs, now, history: past = [], animals, edits }: Activity, atMs: number): void {
		history.upToMs = upToMs;
		history.animals = animals;
		history.edits = edits;
		let node = nodes.get(name);
		const isNew = node === undefined;
		node ??= { last: past[0] ?? now, readAtMs: atMs, spans: [] };
		nodes.set(name, node);
		const timeOf = ({ uptimeMs }: Moment) => atMs - (now.uptimeMs - uptimeMs);
		for (const moment of [...past, now]) {
			if (moment.animals !== undefined) totals.push({ atMs: timeOf(moment), animals: moment.animals });
			const pace = paceBetween(node.last, moment);
			if (!pace) continue;
			node.spans.push({ fromMs: timeOf(node.last), toMs: timeOf(moment), pace });
			node.last = moment;
		}
		node.readAtMs = atMs;
		node.spans = node.spans.filter(({ toMs }) => toMs > atMs - keptMs);
		totals = totals.filter((total) => total.atMs > atMs - keptMs).sort((a, b) => a.atMs - b.atMs);
		if (!isNew) return;
		history.nodes = [...nodes.keys()];
		history.starts = [...history.starts, { node: name, atMs: atMs - now.uptimeMs }];
	}

	function recent(nowMs: number): string[] {
		return [...nodes].filter(([, { readAtMs }]) => readAtMs > nowMs - recentMs).map(([name]) => name);
	}

	function samples({ rangeMs, stepMs }: Range, nowMs: number): Sample[] {
		const lastMs = Math.floor(nowMs / stepMs) * stepMs;
		const count = rangeMs / stepMs;
		return Array.from({ length: count }, (_, index) => sampleAt(lastMs - (count - 1 - index) * stepMs));
	}

	function sampleAt(atMs: number): Sample {
		const paces = new Map<string, Pace>();
		for (const [name, { spans }] of nodes) {
			const pace = paceAt(spans, atMs);
			if (pace) paces.set(name, pace);
		}
		const byNode = Object.fromEntries([...paces].map(([name, pace]) => [name, sum(requestsOf(pace))]));
		const animals = totals.findLast((total) => total.atMs <= atMs + heldMs)?.animals;
		return { atMs, pace: paces.size > 0 ? sumOf([...paces.values()]) : undefined, byNode, animals };
	}

	return history;
}

/** The pace of the span that contains the moment, or of the last span if it ended shortly before. */
function paceAt(spans: Span[], atMs: number): Pace | undefined {
	const span = spans.findLast(({ fromMs }) => fromMs <= atMs);
	return span && atMs <= span.toMs + heldMs ? span.pace : undefined;
}

/** The rates of one node between two of its moments; undefined when the second is not later. */
function paceBetween(before: Moment, after: Moment): Pace | undefined {
	const seconds = (after.uptimeMs - before.uptimeMs) / 1000;
	if (seconds <= 0) return undefined;
	const rate = (now: number, then: number) => (now - then) / seconds;
	const operations = mapValues(after.replies, ({ requests, latency }, name) => {
		const then = before.replies[name];
		return {
			requests: mapValues(requests, (count, group) => rate(count, then.requests[group])),
			latency: latency.map((count, index) => rate(count, then.latency[index] ?? 0)),
		};
	});
	return {
		operations,
		animals: rate(after.creates.animals, before.creates.animals),
		batches: rate(after.creates.batches, before.creates.batches),
	};
}

function sumOf([first, ...others]: Pace[]): Pace | undefined {
	return others.reduce<Pace | undefined>((total, pace) => {
		if (!total) return pace;
		return {
			operations: mapValues(total.operations, ({ requests, latency }, name) => {
				const more = pace.operations[name];
				return {
					requests: mapValues(requests, (count, group) => count + more.requests[group]),
					latency: latency.map((count, index) => count + (more.latency[index] ?? 0)),
				};
			}),
			animals: total.animals + pace.animals,
			batches: total.batches + pace.batches,
		};
	}, first);
}

function mapValues<K extends string, V, R>(values: Record<K, V>, map: (value: V, key: K) => R): Record<K, R> {
	return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value as V, key as K)])) as Record<
		K,
		R
	>;
}

/** The three operations; pages and probes are not requests of clients. */
export const operationLabels = ["listPets", "createPet", "getPet"] as const satisfies OperationLabel[];

function requestsOf({ operations }: Pace): number[] {
	return operationLabels.flatMap((name) => Object.values(operations[name].requests));
}

export function requestRate(pace: Pace): number {
	return sum(requestsOf(pace));
}

/** Requests per second of one operation, or of all three, with a status of this class. */
export function classRate({ operations }: Pace, group: keyof ReplyCounts["requests"]): number {
	return sum(operationLabels.map((name) => operations[name].requests[group]));
}

/** In milliseconds; undefined without requests. */
export function latencyOf({ operations }: Pace, upToMs: number[], share: number): number | undefined {
	const counts = [...upToMs, Infinity].map((_, index) =>
		sum(operationLabels.map((name) => operations[name].latency[index] ?? 0)),
	);
	return percentile(upToMs, counts, share);
}

export function sum(numbers: number[]): number {
	return numbers.reduce((total, number) => total + number, 0);
}

/**
 * The percentile, by linear interpolation within its bucket; undefined without counts. Values above the last bound
 * count as that bound, so the true percentile may be higher.
 */
export function percentile(upTo: number[], counts: number[], share: number): number | undefined {
	const total = sum(counts);
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
