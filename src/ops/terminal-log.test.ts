// The log on a terminal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";
import { createLogTo, formatForTerminal } from "./log.ts";

test("a request is one short line, and anything else is its message with fields, never JSON", () => {
	const lines: string[] = [];
	const log = createLogTo(
		{ write: (line) => void lines.push(stripVTControlCharacters(formatForTerminal(line))) },
		"info",
	);
	log.info(
		{
			requestId: "a",
			"http.request.method": "GET",
			"url.path": "/v1/pets",
			"http.response.status_code": 200,
			durationMs: 1.234,
		},
		"request",
	);
	log.info({ url: "http://127.0.0.1:8080" }, "listening");
	log.warn({ dropped: 3 }, "lines were dropped");
	log.error({ err: new Error("broken"), code: "internal_error" }, "request failed");
	log.info({ "http.response.status_code": 400, "error.type": "malformed_request" }, "request");
	assert.match(lines[0] ?? "", /^\d\d:\d\d:\d\d {2}GET \/v1\/pets {2}200 {2}1\.2 ms\n$/);
	assert.match(lines[1] ?? "", /^\d\d:\d\d:\d\d {2}listening {2}url=http:\/\/127\.0\.0\.1:8080\n$/);
	assert.match(lines[2] ?? "", /^\d\d:\d\d:\d\d {2}warn {2}lines were dropped {2}dropped=3\n$/);
	assert.match(lines[3] ?? "", /^\S+ {2}error {2}request failed {2}code=internal_error\nError: broken\n {4}at /);
	assert.match(
		lines[4] ?? "",
		/^\S+ {2}request {2}http\.response\.status_code=400 {2}error\.type=malformed_request\n$/,
	);
});

test("a reply's status is green, yellow for a client's error and red for the service's; so are the levels of other lines", (context) => {
	const before = process.env["FORCE_COLOR"];
	process.env["FORCE_COLOR"] = "1";
	context.after(() => Object.assign(process.env, { FORCE_COLOR: before ?? "0" }));
	const request = {
		level: "info",
		time: "",
		msg: "request",
		"http.request.method": "GET",
		"url.path": "/",
		durationMs: 1,
	};
	const colorOf = (line: object) => /\x1b\[(3\d)m/.exec(formatForTerminal(JSON.stringify(line)))?.[1];
	const statuses = [200, 399, 400, 499, 500].map((status) => ({ ...request, "http.response.status_code": status }));
	const levels = ["warn", "error"].map((level) => ({ level, time: "", msg: "message" }));
	assert.deepEqual([...statuses, ...levels].map(colorOf), ["32", "32", "33", "33", "31", "33", "31"]);
});
