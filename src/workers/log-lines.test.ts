// The lines of several processes in one log, whatever pieces they arrive in.

import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createLineMerger } from "./log-lines.ts";

test("lines of any length are written as a whole, however they arrive, and while the log's reader is slow", async () => {
	let text = "";
	const waiting: (() => void)[] = [];
	const log = new Writable({
		highWaterMark: 1000,
		write(chunk, _encoding, done) {
			text += chunk;
			waiting.push(done);
		},
	});
	const pass = createLineMerger(log);
	const lengths = [0, 1, 100, 5_000, 70_000, 300_000];
	const processes = ["a", "b", "c"].map((name) => {
		const output = new PassThrough();
		pass(output);
		return { output, text: lengths.map((length) => `${name}${"é".repeat(length)}${name}\n`).join("") };
	});
	for (const { output, text } of processes) {
		const bytes = Buffer.from(text);
		for (let at = 0; at < bytes.length; at += 7_777) output.write(bytes.subarray(at, at + 7_777));
		output.write("a line that is never ended");
	}
	const whole = processes.reduce((sum, { text }) => sum + text.length, 0);
	for (let turn = 0; turn < 100_000 && text.length < whole; turn++) {
		waiting.shift()?.();
		await nextTurn();
	}
	const expected = processes.flatMap(({ text }) => text.trim().split("\n"));
	assert.deepEqual(text.trim().split("\n").sort(), expected.sort());
});

test("an output whose lines nobody reads is not read on", async () => {
	const log = new Writable({ highWaterMark: 1000, write() {} });
	const output = new PassThrough();
	createLineMerger(log)(output);
	for (let line = 0; line < 100; line++) output.write(`${"x".repeat(10_000)}\n`);
	for (let turn = 0; turn < 10; turn++) await nextTurn();
	assert.ok(log.writableLength < 50_000, `${log.writableLength} bytes wait`);
	assert.ok(output.isPaused());
});
