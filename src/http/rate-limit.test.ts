// Rate limit windows, with a clock controlled by the test.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyRow } from "../store/store.ts";
import { createRateLimits } from "./rate-limit.ts";

const caller = (id: string, rate?: string): KeyRow => ({
	id,
	name: id,
	scopes: [],
	rate,
	createdAtMs: 0,
	secret: { last4: "", createdAtMs: 0 },
});

test("a window starts with its first request, counts down, and is full again after its end", () => {
	let nowMs = 5000;
	const limits = createRateLimits({ requests: 2, windowSeconds: 10 }, () => nowMs);
	const count = () => {
		const counted = limits.count(caller("a"));
		return [counted?.headers["ratelimit"], counted?.refused?.retryAfterSeconds];
	};
	assert.deepEqual(count(), ['"key";r=1;t=10', undefined]);
	nowMs += 9001;
	assert.deepEqual(count(), ['"key";r=0;t=1', undefined]);
	assert.deepEqual(count(), ['"key";r=0;t=1', 1]);
	nowMs += 999;
	assert.deepEqual(count(), ['"key";r=1;t=10', undefined]);
});

test("a new rate of a key starts a new window, and each key has its own window", () => {
	const limits = createRateLimits(undefined, () => 0);
	assert.equal(limits.count(caller("a", "1/1m"))?.refused, undefined);
	assert.equal(limits.count(caller("a", "1/1m"))?.refused?.code, "rate_limited");
	assert.equal(limits.count(caller("b", "1/1m"))?.refused, undefined);
	assert.equal(limits.count(caller("a", "2/1m"))?.refused, undefined);
	assert.equal(limits.count(caller("a")), undefined, "no rate, no limit");
});

test("rows beyond the rate are taken from the next windows, and requests are refused until there is room", () => {
	let nowMs = 0;
	const limits = createRateLimits({ requests: 10, windowSeconds: 60 }, () => nowMs);
	const count = () => limits.count(caller("a"))?.refused?.retryAfterSeconds;
	assert.equal(count(), undefined);
	assert.equal(limits.countRows(caller("a"), 24)?.ratelimit, '"key";r=0;t=120');
	assert.equal(count(), 120);
	nowMs = 61_000;
	assert.equal(count(), 60, "15 of 25 rows are still to be counted");
	nowMs = 122_000;
	assert.equal(count(), undefined, "5 rows of 10");
	limits.countRows(caller("a"), 100);
	nowMs += 660_000;
	assert.equal(count(), undefined);
	assert.equal(limits.countRows(caller("a"), 5)?.ratelimit, '"key";r=4;t=60');
});
