// The log while its reader is slow or has closed it.

import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { backlogMaxBytes, createLog, createLogTo } from "./log.ts";

test("unread lines above a limit are dropped, and their number is logged when reading resumes", () => {
	const received: string[] = [];
	let resume = () => {};
	const output = new Writable({
		write(chunk, _encoding, done) {
			received.push(String(chunk));
			resume = done;
		},
	});
	const { log, flush } = createLog("info", output, false);
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
	const report = lines.find(({ dropped }) => dropped > 0);
	assert.equal(lines.filter(({ msg }) => msg === "line").length + report.dropped, count);
});

test("lines below the level are not written, and an error has its causes and its code", () => {
	const lines: string[] = [];
	const logFrom = (level: string) => createLogTo({ write: (line) => void lines.push(line) }, level);
	const log = logFrom("warn");
	const cause = Object.assign(new Error("no disk"), { code: "EIO" });
	log.info({ a: 1 }, "not written");
	log.error({ task: undefined, err: new TypeError("broken", { cause }) }, 'request "failed"');
	logFrom("silent").fatal({}, "not written");
	logFrom("debug").debug({}, "stopped");
	const [{ time, err, ...failed }, stopped] = lines.map((line) => JSON.parse(line));
	assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
	assert.deepEqual(failed, { level: "error", msg: 'request "failed"' });
	assert.deepEqual([err.type, err.message], ["TypeError", "broken"]);
	assert.match(err.stack, /TypeError: broken\n {4}at .*Error: no disk\n.*code: 'EIO'/s);
	assert.deepEqual(stopped, { level: "debug", time: stopped.time, msg: "stopped" });
});
