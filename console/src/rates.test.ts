// Rates against counters whose rates are known.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Activity } from "../../src/contract/activity.ts";
import { createHistory, historyMs, percentile, staleMs } from "./rates.ts";

/** A node that does the same every second: 10 requests within 1 ms, 1 refusal within 2 ms, 6 animals in 2 commits. */
function snapshotAt(seconds: number, node = "a"): Activity {
	return {
		node,
		uptimeMs: seconds * 1000,
		requests: { "2xx": 10 * seconds, "3xx": 0, "4xx": seconds, "5xx": 0 },
		latency: { upToMs: [1, 2], counts: [10 * seconds, seconds, 0] },
		creates: { animals: 6 * seconds, batches: 2 * seconds },
		animals: { available: 1, pending: 2, sold: 3, none: 4, isComplete: true },
	};
}

test("rates are computed per node with the node's own clock", () => {
	const history = createHistory();
	history.add(snapshotAt(100), 0);
	assert.equal(history.samples.length, 0, "one snapshot makes no rate");
	history.add(snapshotAt(104), 5_000);
	const [sample] = history.samples;
	assert.deepEqual(sample?.requests, { "2xx": 10, "3xx": 0, "4xx": 1, "5xx": 0 });
	assert.equal(sample?.creates, 6);
	assert.equal(sample?.meanBatch, 3);
	assert.equal(sample?.atMs, 5_000);
	assert.equal(sample?.animals.sold, 3);
});

test("figures of alternating nodes are added up and never subtracted from each other", () => {
	const history = createHistory();
	history.add(snapshotAt(1_000, "a"), 0);
	history.add(snapshotAt(1, "b"), 2_000);
	history.add(snapshotAt(1_004, "a"), 4_000);
	history.add(snapshotAt(5, "b"), 6_000);
	assert.deepEqual(
		history.samples.map(({ nodes, requests }) => [nodes, requests["2xx"]]),
		[
			[1, 10],
			[2, 20],
		],
	);
});

test("a node that stops answering is no longer counted, and a restart never gives a negative rate", () => {
	const history = createHistory();
	history.add(snapshotAt(1_000, "before"), 0);
	history.add(snapshotAt(1_002, "before"), 2_000);
	history.add(snapshotAt(0, "after"), 4_000);
	history.add(snapshotAt(staleMs / 1000, "after"), 4_000 + staleMs);
	assert.deepEqual(
		history.samples.map(({ nodes, creates }) => [nodes, creates]),
		[
			[1, 6],
			[1, 6],
			[1, 6],
		],
	);
});

test("samples older than five minutes are discarded", () => {
	const history = createHistory();
	for (let seconds = 0; seconds <= 600; seconds += 2) history.add(snapshotAt(seconds), seconds * 1000);
	assert.equal(history.samples.length, historyMs / 2000);
	assert.equal(history.samples.at(-1)?.atMs, 600_000);
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
