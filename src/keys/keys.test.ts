// The formats of keys, durations and rates.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { parseDurationMs, parseRate } from "../contract/durations.ts";
import { hashOfKey, isWellFormedKey, keyFromRandom, keyPattern, toBase62 } from "./formats.ts";

test("a key is pets_, 43 digits of base62 and a CRC-32 in 6 more", () => {
	for (const random of [Buffer.alloc(32), Buffer.alloc(32, 255), randomBytes(32)]) {
		const key = keyFromRandom(random);
		assert.match(key, keyPattern);
		assert.doesNotMatch(`${key}a`, keyPattern);
		assert.doesNotMatch(`a${key}`, keyPattern);
		assert.ok(isWellFormedKey(key));
		assert.equal(key.slice(-6), toBase62(BigInt(crc32(key.slice(0, -6))), 6));
	}
	const random = randomBytes(32);
	const keys = Array.from({ length: 32 }, (_, at) =>
		keyFromRandom(random.map((byte, index) => byte ^ Number(index === at)) as Buffer),
	);
	assert.equal(new Set([...keys, keyFromRandom(random)]).size, 33, "each byte counts");
	assert.deepEqual(
		[61n, 62n, 3844n + 10n * 62n + 36n].map((value) => toBase62(value, 3)),
		["00z", "010", "1Aa"],
	);
});

test("every typo of one character is detected without a lookup", () => {
	const key = keyFromRandom(Buffer.alloc(32, 3));
	for (let index = 0; index < key.length; index++) {
		const other = key[index] === "x" ? "y" : "x";
		assert.ok(!isWellFormedKey(key.slice(0, index) + other + key.slice(index + 1)));
		assert.ok(!isWellFormedKey(key.slice(0, index) + key.slice(index + 1)));
	}
});

test("a key is stored as its SHA-256", () => {
	assert.equal(hashOfKey("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("durations and rates are parsed, and invalid ones are rejected", () => {
	assert.deepEqual(["30s", "15m", "24h", "90d"].map(parseDurationMs), [30_000, 900_000, 86_400_000, 7_776_000_000]);
	assert.deepEqual(["1440m", "999999s", "1000000s"].map(parseDurationMs), [86_400_000, 999_999_000, undefined]);
	for (const text of ["", "0d", "1", "d", "-1d", "1.5h", "1w", "01d", "1000000d", "1dx"])
		assert.equal(parseDurationMs(text), undefined, text);
	assert.deepEqual(parseRate("100/1m"), { requests: 100, windowSeconds: 60 });
	assert.deepEqual(parseRate("10/s"), { requests: 10, windowSeconds: 1 });
	assert.deepEqual(parseRate("10/15m"), { requests: 10, windowSeconds: 900 });
	for (const text of ["", "100", "/1m", "0/1m", "100/0m", "100/1w", "1e3/1m", "-1/s", "10/sx"])
		assert.equal(parseRate(text), undefined, text);
});
