// A malformed request behind one that is still being answered.

import assert from "node:assert/strict";
import { IncomingMessage, ServerResponse } from "node:http";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { errors } from "../contract/errors.ts";
import type { Connection } from "./connections.ts";
import { createRefusals } from "./refusals.ts";

test("a malformed request is refused once, after the reply before it, however many pieces of it follow", () => {
	const written: string[] = [];
	const stream = new Duplex({
		read() {},
		write(chunk, _encoding, done) {
			written.push(String(chunk));
			done();
		},
	});
	const connection = stream as Connection;
	const request = new IncomingMessage(connection);
	request.complete = true;
	const response = new ServerResponse(request);
	connection.latest = { request, response };
	const replies: number[] = [];
	const refusals = createRefusals(
		{ fields: [], isStopping: () => false },
		{
			begin: () => assert.fail(),
			refuse: (code) => `${replies.push(errors[code].status)}`,
			close() {},
		},
	);
	const broken = Object.assign(new Error("broken"), { code: "HPE_INVALID_METHOD" });
	for (let piece = 0; piece < 20; piece++) refusals.refuseInTurn(connection, broken);
	assert.equal(response.listenerCount("finish"), 1);
	assert.deepEqual([replies, written], [[], []], "not before the reply to the request before it");
	response.emit("finish");
	assert.deepEqual(replies, [400]);
	assert.match(written.join(""), /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"status":400\}$/);
});
