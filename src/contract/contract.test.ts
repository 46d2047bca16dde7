// The contract's pure functions and constants.

import assert from "node:assert/strict";
import { test } from "node:test";
import { describeTime } from "./console.ts";
import { getPetDeprecation } from "./deprecation.ts";
import { errors } from "./errors.ts";
import { int64FromDecimal, int64Max, int64Min, isInt64, parseJson } from "./json.ts";

test("of unknown parameters five are named, and the others counted", () => {
	const said = errors.unknown_parameter.message(["a", "b", "c", "d", "e", "f", "g"], ["limit", "status"]);
	assert.equal(said, 'unknown query parameter "a", "b", "c", "d", "e" and 2 more; known ones are limit, status');
});

test("parseJson reads integers exactly and distinguishes them from fractions", () => {
	assert.deepEqual(parseJson('{"a":[1,2.5,"9007199254740993"],"b":9007199254740993}'), {
		a: [1, 2.5, "9007199254740993"],
		b: 9007199254740993n,
	});
	assert.equal(parseJson("9007199254740991"), 9007199254740991);
	assert.equal(parseJson("1e3"), 1000);
	assert.equal(parseJson("1.5E1"), 15);
	assert.equal(parseJson("9E18"), 9n * 10n ** 18n);
	assert.equal(parseJson("9.223372036854775807e18"), int64Max);
	assert.equal(parseJson("0.0009007199254740993e19"), 9007199254740993n);
	assert.ok(Number.isNaN(parseJson("1.00000000000000000001")));
	for (const huge of ["9223372036854775808", "1e19", "1e400", "-1e999999999", "1e-999999999"])
		assert.ok(!isInt64(parseJson(huge)), huge);
	assert.throws(() => parseJson("1e5,"), SyntaxError);
});

test("parseJson finds a number that a double would round wherever JSON may have one", () => {
	const numbers = { "9007199254740993": 9007199254740993n, "-9007199254740993": -9007199254740993n, "1E3": 1000 };
	for (const [number, value] of Object.entries(numbers))
		for (const space of ["", " ", "\n\t\r  "]) {
			const text = space + number + space;
			assert.deepEqual(parseJson(text), value, text);
			assert.deepEqual(parseJson(`[${text}]`), [value], text);
			assert.deepEqual(parseJson(`[0,${text}]`), [0, value], text);
			assert.deepEqual(parseJson(`{"a"${space}:${text}}`), { a: value }, text);
		}
});

test("a number with 60,000 zeros is parsed quickly", () => {
	const cpuMs = () => process.cpuUsage().user / 1000;
	const startedAt = cpuMs();
	assert.equal(parseJson(`0.${"0".repeat(60_000)}e5`), 0);
	assert.ok(!isInt64(parseJson(`1${"0".repeat(60_000)}`)));
	assert.equal(parseJson(`1${"0".repeat(60_000)}e-60000`), 1);
	assert.ok(cpuMs() - startedAt < 1000);
});

test("int64FromDecimal accepts only the canonical spelling of each int64", () => {
	for (const value of [0n, 1n, -1n, int64Max, int64Min, 9007199254740993n])
		assert.equal(int64FromDecimal(String(value)), value);
	for (const text of [
		"",
		"-",
		"-0",
		"01",
		"+1",
		"1.0",
		" 1",
		"1 ",
		"1\n",
		"٣",
		"0x1",
		"9223372036854775808",
		"-9223372036854775809",
		"1".repeat(10_000),
	]) {
		assert.equal(int64FromDecimal(text), undefined, text);
	}
});

test("every error code has one status, and every status of the interface document is used", () => {
	const statuses = Object.values(errors).map(({ status }) => status);
	for (const status of statuses) assert.ok(status >= 400 && status < 600);
	for (const status of [400, 401, 404]) assert.ok(statuses.includes(status));
});

test("the end of getPet is the same instant in HTTP, for people and in milliseconds", () => {
	const { sunsetMs, sunset, sunsetDay } = getPetDeprecation;
	assert.equal(sunset, new Date(sunsetMs).toUTCString());
	assert.equal(sunsetDay, new Date(sunsetMs).toLocaleDateString("en-GB", { dateStyle: "long", timeZone: "UTC" }));
});

test("the time of an import is today or yesterday, in local time", (context) => {
	const before = process.env["TZ"];
	context.after(() => {
		if (before === undefined) delete process.env["TZ"];
		else process.env["TZ"] = before;
	});
	for (const zone of ["UTC", "Asia/Kolkata", "America/St_Johns"]) {
		process.env["TZ"] = zone;
		const now = new Date(2026, 10, 24, 0, 30).getTime();
		assert.equal(describeTime(new Date(2026, 10, 24, 0, 5).getTime(), now), "today at 0:05", zone);
		assert.equal(describeTime(new Date(2026, 10, 23, 14, 5).getTime(), now), "yesterday at 14:05", zone);
	}
});
