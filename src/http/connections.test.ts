// The limit of unanswered requests on a connection.

import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { Socket } from "node:net";
import { test } from "node:test";
import { type Connection, exceedsPipelineLimit, pipelinedMax } from "./connections.ts";

test("a connection may have 256 unanswered requests, and each answer makes room for one more", () => {
	const connection: Connection = new Socket();
	const send = () => {
		const response = new EventEmitter();
		return { response, isRefused: exceedsPipelineLimit(connection, response as ServerResponse) };
	};
	const sent = Array.from({ length: pipelinedMax }, send);
	assert.equal(pipelinedMax, 256);
	assert.ok(sent.every(({ isRefused }) => !isRefused));
	const [first, second] = [send(), send()];
	assert.deepEqual([first.isRefused, second.isRefused], [true, true]);
	for (const { response } of [first, second, ...sent.slice(0, 1)]) response.emit("close");
	assert.deepEqual([send().isRefused, send().isRefused], [false, true]);
});
