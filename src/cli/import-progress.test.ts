// The lines about an import's progress where there is no terminal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { importProgress } from "./import-progress.ts";

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
