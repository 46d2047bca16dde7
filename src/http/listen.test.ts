// A malformed request while an earlier request is still being answered, and a failure after the reply has begun.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, IncomingMessage, ServerResponse, request as send } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { errors } from "../contract/errors.ts";
import { Connection } from "./connection.ts";
import { Exchange } from "./exchange.ts";
import { createRefusal, defaultTimeouts, urlOf } from "./listen.ts";
import { sendFailure } from "./router.ts";

const watch = { requestId: () => "r1", end() {}, refuse: () => "r2" };
const port = { fields: [], isClosing: () => false, watch };

test("an idle connection stays open longer than the 60 s for which load balancers keep theirs", () => {
	assert.equal(defaultTimeouts.keepAliveMs, 65_000);
});

test("the URL of an IPv6 address has it in brackets", () => {
	const address = () => ({ address: "::1", family: "IPv6", port: 8080 });
	assert.equal(urlOf({ address }), "http://[::1]:8080");
});

test("a malformed request is refused once, after the reply before it, however many pieces of it follow", () => {
	const written: string[] = [];
	const stream = new Duplex({
		read() {},
		write(chunk, _encoding, done) {
			written.push(String(chunk));
			done();
		},
	});
	const socket = stream as Socket;
	const connection = new Connection(socket, new Map());
	const request = new IncomingMessage(socket);
	request.complete = true;
	const response = new ServerResponse(request);
	connection.begin(new Exchange(connection, response, port));
	const replies: number[] = [];
	const refuse = createRefusal({
		...port,
		watch: { ...watch, refuse: (code) => `${replies.push(errors[code].status)}` },
	});
	const broken = Object.assign(new Error("broken"), { code: "HPE_INVALID_METHOD" });
	for (let piece = 0; piece < 20; piece++) refuse(connection, broken);
	assert.equal(response.listenerCount("finish"), 1);
	assert.deepEqual([replies, written], [[], []], "nothing is sent before the reply to the earlier request");
	response.emit("finish");
	assert.deepEqual(replies, [400]);
	assert.match(written.join(""), /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"status":400\}$/);
});

test("a failure after the headers of a reply is logged and cuts the reply off", async (context) => {
	const lines: object[] = [];
	const log = { error: (fields: object) => void lines.push(fields) };
	const server = createServer(({ socket }, response) => {
		const connection = new Connection(socket, new Map());
		const exchange = new Exchange(connection, response, port);
		response
			.writeHead(200, { "content-length": "10" })
			.write("12345", () => sendFailure(log, exchange, new Error("bug")));
	});
	await once(server.listen(0, "127.0.0.1"), "listening");
	context.after(() => server.close());
	const [reply] = await once(send({ port: (server.address() as AddressInfo).port }).end(), "response");
	await assert.rejects(reply.toArray(), { code: "ECONNRESET" });
	assert.equal(lines.length, 1);
	assert.partialDeepStrictEqual(lines[0], { requestId: "r1", err: new Error("bug") });
});
