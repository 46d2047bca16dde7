// The rules by which the figures of several processes become one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createHistogram, type Family, one } from "./exposition.ts";
import { exposeSum, gaugeRules, readAll, sumCounters } from "./summed-metrics.ts";

/** The families of a process that has these figures. */
function familiesOf(value: number, isWritable = true): Family[] {
	const histogram = createHistogram({ name: "h", help: "Help." }, [1]);
	histogram.observe(value);
	const labels = { a: String(value) };
	return [
		one("counter", "c_total", "Help.", () => value),
		histogram,
		one("gauge", "connections", "Help.", () => value),
		one("gauge", "animal_store_oldest_write_waiting_seconds", "Help.", () => value),
		one("gauge", "animal_store_writable", "Help.", () => Number(isWritable)),
		{ name: "l", help: "Help.", type: "gauge", labels: ["a"], read: () => [{ labels, value }] },
	];
}

test("counters, buckets and gauges are added up by series; of some gauges the worst counts", async () => {
	const families = familiesOf(0);
	const all = await Promise.all([familiesOf(0.5), familiesOf(2, false)].map(readAll));
	const samples = (await exposeSum(families, all)).split("\n").filter((line) => !line.startsWith("#"));
	assert.deepEqual(samples, [
		"c_total 2.5",
		'h_bucket{le="1"} 1',
		'h_bucket{le="+Inf"} 2',
		"h_sum 2.5",
		"h_count 2",
		"connections 2.5",
		"animal_store_oldest_write_waiting_seconds 2",
		"animal_store_writable 0",
		'l{a="0.5"} 0.5',
		'l{a="2"} 2',
		"",
	]);
});

test("of a process that has ended, what only grows is kept", async () => {
	const kept = sumCounters(familiesOf(0), [await readAll(familiesOf(0.5)), await readAll(familiesOf(2))]);
	assert.deepEqual(Object.keys(kept), ["c_total", "h"]);
	assert.deepEqual(kept["c_total"], [{ value: 2.5 }]);
	assert.ok(Object.keys(gaugeRules).every((name) => !name.endsWith("_total")));
});
