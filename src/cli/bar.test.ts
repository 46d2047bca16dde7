// The bar of long work on a terminal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createBar, secondsOf } from "./bar.ts";

function drawn(isTTY: boolean, columns: number): string[] {
	const written: string[] = [];
	const bar = createBar({ isTTY, columns, write: (text) => written.push(text) });
	bar.draw(0, 0, "starting");
	bar.draw(5, 10, "5 of 10");
	bar.draw(20, 10, "all");
	bar.clear();
	bar.end();
	return written;
}

test("a bar is one line that is drawn again in its place, and fits into a narrow terminal", () => {
	const bars = ["░".repeat(30), "█".repeat(15) + "░".repeat(15), "█".repeat(30)];
	const texts = [" 0% | starting", " 50% | 5 of 10", " 100% | all"];
	const lines = bars.map((bar, index) => `\r${bar}${texts[index]}\x1b[K`);
	assert.deepEqual(drawn(true, 80), [...lines, "\r\x1b[K", "\n"]);
	for (const line of drawn(true, 20).slice(0, 3)) assert.equal(line.length, 1 + 19 + 3);
});

test("a bar draws nothing where there is no terminal", () => assert.deepEqual(drawn(false, 80), []));

test("times are told in seconds up to two minutes, then in minutes", () => {
	assert.deepEqual([0, 1.2, 119, 120, 3600].map(secondsOf), ["0 s", "2 s", "119 s", "2 min", "60 min"]);
});
