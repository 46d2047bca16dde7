// The log under a reader that is slow or gone.

import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { backlogMaxBytes, createLog } from "./log.ts";

test("lines that nobody reads are dropped beyond a bound, and their number is told when somebody reads again", () => {
	const received: string[] = [];
	let resume = () => {};
	const output = new Writable({
		write(chunk, _encoding, done) {
			received.push(String(chunk));
			resume = done;
		},
	});
	const { log, flush } = createLog("info", output);
	const count = 100_000;
	for (let index = 0; index < count; index++) log.info({ filler: "x".repeat(200) }, "line");
	flush();
	assert.ok(output.writableLength < backlogMaxBytes + 100_000, `${output.writableLength} bytes wait`);
	for (let left = output.writableLength; left > 0; left = output.writableLength) resume();
	flush();
	flush();
	for (let left = output.writableLength; left > 0; left = output.writableLength) resume();
	const lines = received
		.join("")
		.trim()
		.split("\n")
		.map((line) => JSON.parse(line));
	const told = lines.find(({ dropped }) => dropped > 0);
	assert.equal(lines.filter(({ msg }) => msg === "line").length + told.dropped, count);
});
