// Windows of rates, on a clock of the test's own.

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

test("a window opens with its first request, counts down, and is whole again when it ends", () => {
	let nowMs = 5000;
	const limits = createRateLimits({ requests: 2, windowSeconds: 10 }, () => nowMs);
	const told = () => {
		const counted = limits.count(caller("a"));
		return [counted?.headers["ratelimit"], counted?.refused?.retryAfterSeconds];
	};
	assert.deepEqual(told(), ['"key";r=1;t=10', undefined]);
	nowMs += 9001;
	assert.deepEqual(told(), ['"key";r=0;t=1', undefined]);
	assert.deepEqual(told(), ['"key";r=0;t=1', 1]);
	nowMs += 999;
	assert.deepEqual(told(), ['"key";r=1;t=10', undefined]);
});

test("a key that gets another rate gets another window, and keys with the same rate have one each", () => {
	const limits = createRateLimits(undefined, () => 0);
	assert.equal(limits.count(caller("a", "1/1m"))?.refused, undefined);
	assert.equal(limits.count(caller("a", "1/1m"))?.refused?.code, "rate_limited");
	assert.equal(limits.count(caller("b", "1/1m"))?.refused, undefined);
	assert.equal(limits.count(caller("a", "2/1m"))?.refused, undefined);
	assert.equal(limits.count(caller("a")), undefined, "no rate, no limit");
});
