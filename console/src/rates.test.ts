// Rates against counters whose rates are known.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Activity, Moment } from "../../src/contract/activity.ts";
import { classRate, createHistory, heldMs, latencyOf, percentile, ranges, requestRate } from "./rates.ts";

/** After some seconds of doing the same: each second 10 requests within 1 ms, 1 refusal within 2 ms, 6 animals in 2 commits. */
function momentAt(seconds: number): Moment {
	const none = { requests: { "2xx": 0, "3xx": 0, "4xx": 0, "5xx": 0 }, latency: [0, 0, 0] };
	return {
		uptimeMs: seconds * 1000,
		replies: {
			listPets: {
				requests: { "2xx": 10 * seconds, "3xx": 0, "4xx": seconds, "5xx": 0 },
				latency: [10 * seconds, seconds, 0],
			},
			createPet: none,
			getPet: none,
			none: { requests: { "2xx": 99 * seconds, "3xx": 0, "4xx": 0, "5xx": 0 }, latency: [99 * seconds, 0, 0] },
		},
		creates: { animals: 6 * seconds, batches: 2 * seconds },
		animals: 6 * seconds,
	};
}

function snapshotAt(seconds: number, node = "a", history: Moment[] = []): Activity {
	const animals = { available: 1, pending: 2, sold: 3, none: 4, isComplete: true };
	return { node, upToMs: [1, 2], now: momentAt(seconds), history, animals, edits: 0 };
}

const short = ranges["5 min"];
const ratesOf = (history: ReturnType<typeof createHistory>, nowMs: number, range = short) =>
	history.samples(range, nowMs).map(({ pace }) => pace && Math.round(requestRate(pace)));

test("rates are computed per node with the node's own clock, without pages and probes", () => {
	const history = createHistory();
	history.add(snapshotAt(100), 0);
	assert.ok(
		ratesOf(history, 0).every((rate) => rate === undefined),
		"one snapshot makes no rate",
	);
	history.add(snapshotAt(104), 4_000);
	const sample = history.samples(short, 4_000).at(-1);
	assert.ok(sample?.pace);
	assert.deepEqual([classRate(sample.pace, "2xx"), classRate(sample.pace, "4xx")], [10, 1]);
	assert.deepEqual([sample.pace.animals, sample.pace.batches, sample.animals], [6, 2, 624]);
	assert.equal(latencyOf(sample.pace, history.upToMs, 0.5), 0.55);
});

test("figures of alternating nodes are added up and never subtracted from each other", () => {
	const history = createHistory();
	history.add(snapshotAt(1_000, "a"), 0);
	history.add(snapshotAt(1, "b"), 2_000);
	history.add(snapshotAt(1_004, "a"), 4_000);
	history.add(snapshotAt(5, "b"), 6_000);
	assert.deepEqual(ratesOf(history, 6_000).slice(-4), [11, 22, 22, 22]);
	assert.deepEqual(history.samples(short, 6_000).at(-1)?.byNode, { a: 11, b: 11 });
	assert.deepEqual(history.nodes, ["a", "b"]);
});

test("a node that stops answering is no longer counted, and a restart never gives a negative rate", () => {
	const history = createHistory();
	history.add(snapshotAt(1_000, "before"), 0);
	history.add(snapshotAt(1_002, "before"), 2_000);
	history.add(snapshotAt(0, "after"), 4_000);
	const laterMs = 6_000 + heldMs;
	history.add(snapshotAt((laterMs - 4_000) / 1000, "after"), laterMs);
	const rates = ratesOf(history, laterMs);
	assert.equal(rates.at(-1), 11, "only the new node");
	assert.ok(
		rates.every((rate) => rate === undefined || rate === 11 || rate === 22),
		String(rates),
	);
	assert.deepEqual(history.starts.at(-1), { node: "after", atMs: 4_000 });
});

test("what the service remembers of the last hour is shown at the first reading", () => {
	const history = createHistory();
	const past = Array.from({ length: 179 }, (_, index) => momentAt(400 + index * 20));
	history.add(snapshotAt(3_980, "a", past), 10_000_000);
	const rates = ratesOf(history, 10_000_000, ranges["1 h"]);
	assert.equal(rates.filter((rate) => rate === 11).length, 180);
	assert.equal(history.samples(ranges["1 h"], 10_000_000)[0]?.animals, 6 * 400);
});

test("a node that is read again after a while adds what it remembers; one that was read just now is not asked for it", () => {
	const history = createHistory();
	history.add(snapshotAt(1_000), 0);
	assert.deepEqual(history.recent(59_000), ["a"]);
	assert.deepEqual(history.recent(61_000), []);
	const quiet = { ...momentAt(1_000), uptimeMs: 1_100_000 };
	history.add(snapshotAt(1_200, "a", [momentAt(900), quiet]), 200_000);
	const rates = ratesOf(history, 200_000);
	assert.deepEqual([rates.at(-52), rates.at(-50), rates.at(-1)], [0, 22, 22]);
});

test("what is older than an hour is forgotten", () => {
	const history = createHistory();
	for (let seconds = 0; seconds <= 8_000; seconds += 5) history.add(snapshotAt(seconds), seconds * 1000);
	assert.ok(ratesOf(history, 8_000_000, ranges["1 h"]).every((rate) => rate === 11));
	assert.ok(ratesOf(history, 4_000_000).every((rate) => rate === undefined));
});

test("percentiles are interpolated linearly within a bucket", () => {
	const upTo = [1, 2, 4];
	assert.equal(percentile(upTo, [10, 0, 0, 0], 0.5), 0.5);
	assert.equal(percentile(upTo, [50, 50, 0, 0], 0.5), 1);
	assert.equal(percentile(upTo, [0, 50, 50, 0], 0.99), 3.96);
	assert.equal(percentile(upTo, [0, 0, 4, 0], 0.25), 2.5);
	assert.equal(percentile(upTo, [0, 0, 0, 9], 0.5), 4, "beyond the last bound nothing is known but that bound");
	assert.equal(percentile(upTo, [0, 0, 0, 0], 0.5), undefined);
});
