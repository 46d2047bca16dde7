// The log: its lines in JSON and on a terminal, and a reader that is slow.

import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { createLog, createLogTo, formatForTerminal } from "./log.ts";

test("unread lines above a limit are dropped, and their number is logged when reading resumes", () => {
	const received: string[] = [];
	let resume = () => {};
	const output = new Writable({
		write(chunk, _encoding, done) {
			received.push(String(chunk));
			resume = done;
		},
	});
	const { log, flush, droppedLines } = createLog("info", output, false);
	const count = 50_000;
	let before = 0;
	for (const round of [1, 2]) {
		for (let index = 0; index < count; index++) log.info({ filler: "x".repeat(200) }, "line");
		flush();
		assert.ok(Math.abs(output.writableLength - 4 * 2 ** 20) < 100_000, `${output.writableLength} bytes wait`);
		assert.ok(droppedLines() > before, "they count before the log reports them");
		for (let looks = 0; looks < 3; looks++) {
			for (let left = output.writableLength; left > 0; left = output.writableLength) resume();
			flush();
		}
		const text = received.splice(0).join("").trim();
		const lines = text.split("\n").map((line) => JSON.parse(line));
		const [report, ...more] = lines.filter(({ dropped }) => dropped > 0);
		assert.deepEqual([lines.filter(({ msg }) => msg === "line").length + report.dropped, more], [count, []]);
		assert.equal(droppedLines(), before + report.dropped, `round ${round}`);
		before += report.dropped;
	}
	assert.ok(output.emit("error", new Error("closed")), "a log that nobody reads is no error");
});

test("each line has the time at which it was written", (context) => {
	context.mock.timers.enable({ apis: ["Date"], now: 0 });
	const times: string[] = [];
	const log = createLogTo({ write: (line) => void times.push(JSON.parse(line).time) }, "info");
	for (const passedMs of [0, 1, 0, 999]) {
		context.mock.timers.tick(passedMs);
		log.info({}, "line");
	}
	assert.deepEqual(
		times,
		["00.000", "00.001", "00.001", "01.000"].map((second) => `1970-01-01T00:00:${second}Z`),
	);
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
	log.error({ err: "no error" }, "thrown");
	const [{ time, err, ...failed }, stopped, thrown] = lines.map((line) => JSON.parse(line));
	assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
	assert.deepEqual(failed, { level: "error", msg: 'request "failed"' });
	assert.deepEqual([err.type, err.message], ["TypeError", "broken"]);
	assert.match(err.stack, /TypeError: broken\n {4}at .*Error: no disk\n.*code: 'EIO'/s);
	assert.deepEqual([thrown.err.type, thrown.err.message], ["string", "no error"]);
	assert.deepEqual(stopped, { level: "debug", time: stopped.time, msg: "stopped" });
});

test("a request is one short line, and anything else is its message with fields, never JSON", (context) => {
	const lines: string[] = [];
	const write = (line: string) => void lines.push(stripVTControlCharacters(formatForTerminal(line)));
	const log = createLogTo({ write }, "info");
	const request = { requestId: "a", "http.request.method": "GET", "url.path": "/v1/pets" };
	log.info({ ...request, "http.response.status_code": 200, durationMs: 1.234 }, "request");
	log.info({ url: "http://127.0.0.1:8080" }, "listening");
	log.warn({ dropped: 3 }, "lines were dropped");
	log.error({ err: new Error("broken"), code: "internal_error" }, "request failed");
	log.info({ "http.response.status_code": 400, "error.type": "malformed_request" }, "request");
	assert.match(lines[0] ?? "", /^\d\d:\d\d:\d\d {2}GET \/v1\/pets {2}200 {2}1\.2 ms\n$/);
	assert.match(lines[1] ?? "", /^\d\d:\d\d:\d\d {2}listening {2}url=http:\/\/127\.0\.0\.1:8080\n$/);
	assert.match(lines[2] ?? "", /^\d\d:\d\d:\d\d {2}warn {2}lines were dropped {2}dropped=3\n$/);
	assert.match(lines[3] ?? "", /^\S+ {2}error {2}request failed {2}code=internal_error\nError: broken\n {4}at /);
	context.mock.timers.enable({ apis: ["setInterval"] });
	const output = { on() {}, writableLength: 0, write: (text: string) => lines.push(text) } as unknown as Writable;
	createLog("info", output, true).log.info({}, "stopped");
	context.mock.timers.tick(100);
	assert.match(lines[5] ?? "", /^[^{]+ {2}stopped\n$/);
	assert.match(lines[4] ?? "", /^\S+ {2}request {2}http\.response\.status_code=400 {2}error\.type=malformed_\w+\n$/);
});

test("a reply's status is green, yellow for a client's error and red for the service's; so are the levels of other lines", (context) => {
	const before = process.env["FORCE_COLOR"];
	process.env["FORCE_COLOR"] = "1";
	context.after(() => Object.assign(process.env, { FORCE_COLOR: before ?? "0" }));
	const request = { level: "info", time: "", msg: "request", "url.path": "/", durationMs: 1 };
	const colorOf = (line: object) => /\x1b\[(3\d)m/.exec(formatForTerminal(JSON.stringify(line)))?.[1];
	const statuses = [200, 399, 400, 499, 500].map((status) => ({ ...request, "http.response.status_code": status }));
	const levels = ["warn", "error"].map((level) => ({ level, time: "", msg: "message" }));
	assert.deepEqual([...statuses, ...levels].map(colorOf), ["32", "32", "33", "33", "31", "33", "31"]);
});
