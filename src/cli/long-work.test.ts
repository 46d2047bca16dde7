// The progress of long work: a bar on a terminal, and lines of an import without a terminal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { interruptible } from "./interrupt.ts";
import { importProgress, secondsOf, showBar } from "./long-work.ts";

test("a bar is one line that is drawn again in its place, fits into a narrow terminal, and is removed", (context) => {
	context.mock.timers.enable({ apis: ["setInterval"] });
	for (const columns of [80, 20]) {
		const written: string[] = [];
		const states = [
			{ what: "starting", done: 0, total: 0 },
			{ what: "5 of 10", done: 5, total: 10 },
			{ what: "all", done: 20, total: 10 },
		].values();
		const state = () => states.next().value ?? assert.fail("drawn after its end");
		const end = showBar(state, { isTTY: true, columns, write: (text) => written.push(text) });
		context.mock.timers.tick(200);
		end();
		context.mock.timers.tick(200);
		const lines = ["starting", `${"█".repeat(15)}${"░".repeat(15)} 50% | 5 of 10`, `${"█".repeat(30)} 100% | all`];
		assert.deepEqual(written, [...lines.map((line) => `\r${line.slice(0, columns - 1)}\x1b[K`), "\r\x1b[K"]);
	}
});

test("a bar draws nothing where there is no terminal", () => {
	showBar(assert.fail, { isTTY: false, columns: 80, write: assert.fail })();
});

test("times are given in seconds up to two minutes, then in minutes", () => {
	assert.deepEqual([0, 1.2, 119, 120, 3600].map(secondsOf), ["0 s", "2 s", "119 s", "2 min", "60 min"]);
});

test("after a signal, also of a terminal that closes, requests under way may take 10 seconds", async (context) => {
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const states: boolean[][] = [];
	const work = async (...signals: AbortSignal[]) => {
		process.emit("SIGHUP");
		for (const ms of [9999, 1]) {
			context.mock.timers.tick(ms);
			states.push(signals.map(({ aborted }) => aborted));
		}
		signals[0]?.throwIfAborted();
	};
	await assert.rejects(interruptible("nothing was sent", work), { message: "interrupted: nothing was sent" });
	assert.deepEqual(states, [
		[true, false],
		[true, true],
	]);
	assert.equal(process.listenerCount("SIGHUP"), 0);
});

test("a line every 10 seconds has the rate and the time left, or says that the import waits", async (context) => {
	const lines: string[] = [];
	let nowMs = 1000;
	context.mock.timers.enable({ apis: ["setInterval"] });
	context.mock.method(performance, "now", () => nowMs);
	context.mock.method(console, "error", (line: string) => void lines.push(line));
	const wait = (ms: number) => {
		nowMs += ms;
		context.mock.timers.tick(ms);
	};
	const progress = importProgress(1001);
	wait(5000);
	progress.update(1, 0);
	wait(5000);
	progress.update(500, 1);
	wait(5000);
	progress.update(500, 2);
	wait(5000);
	progress.end();
	wait(10_000);
	assert.deepEqual(lines, [
		"1 of 1001 animals sent, 0 rejected, 0/s",
		"500 of 1001 animals sent, 2 rejected, waiting for the service",
	]);
	lines.splice(0);
	const other = importProgress(1001);
	wait(9000);
	other.update(500, 0);
	wait(1000);
	other.end();
	assert.deepEqual(lines, ["500 of 1001 animals sent, 0 rejected, 50/s, 11 s left"]);
});
