// Bytes that are no proper HTTP request, sent as no client would send them: each gets the one Error shape, and what may be
// read in two ways (request smuggling) is refused and the connection closed.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import type { ErrorCode } from "../src/contract/errors.ts";
import { assertFailure, type TestService, testService } from "./service.ts";
import { exchange, parseReplies } from "./wire.ts";

const pet = '{"name":"a","categoryId":1}';

/** A POST with these header lines besides those every request needs. */
const post = ({ key }: TestService, lines: string, body = "") =>
	`POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${lines}\r\n${body}`;
const get = ({ key }: TestService, lines = "") =>
	`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${lines}\r\n`;

async function refused(
	service: TestService,
	rows: Record<string, [bytes: string | Buffer, code: ErrorCode]>,
): Promise<void> {
	for (const [name, [bytes, code]] of Object.entries(rows)) {
		const replies = await exchange(service.port, bytes);
		assert.equal(replies.length, 1, `${name}: ${JSON.stringify(replies)}`);
		assertFailure(replies[0] as (typeof replies)[0], code);
		assert.equal(replies[0]?.headers["connection"], "close", name);
	}
	assert.equal((await service.send({ path: "/v1/pets" })).body, "[]", "nothing was stored");
}

test("what the parser cannot read, or could read in two ways, is 400 and closed", async (context) => {
	const service = await testService(context);
	const length = `Content-Length: ${pet.length}\r\n`;
	await refused(service, {
		"no HTTP": ["hello\r\n\r\n", "malformed_request"],
		"TLS on the plain port": [Buffer.from("16030100a5010000a10303", "hex"), "malformed_request"],
		"HTTP/2 preface": ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "malformed_request"],
		"unknown method": ["BREW /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n", "malformed_request"],
		"HTTP/3.7": ["GET / HTTP/3.7\r\nHost: a\r\n\r\n", "malformed_request"],
		"a blank in the target": ["GET /v1/pets?limit= 5 HTTP/1.1\r\nHost: a\r\n\r\n", "malformed_request"],
		"length and chunked": [post(service, `${length}Transfer-Encoding: chunked\r\n`, "0\r\n\r\n"), "malformed_request"],
		"chunked and length": [post(service, `Transfer-Encoding: chunked\r\n${length}`, "0\r\n\r\n"), "malformed_request"],
		"two lengths": [post(service, length + length, pet), "malformed_request"],
		"two different lengths": [post(service, `${length}Content-Length: 3\r\n`, pet), "malformed_request"],
		"a list of lengths": [post(service, "Content-Length: 3, 3\r\n", "abc"), "malformed_request"],
		...Object.fromEntries(
			["-1", "+2", "0x2", "2.0", "1e1", "", "99999999999999999999"].map((value) => [
				`length ${value}`,
				[post(service, `Content-Length: ${value}\r\n`, "{}"), "malformed_request"] as [string, ErrorCode],
			]),
		),
		"an unknown transfer coding": [post(service, "Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), "malformed_request"],
		"chunked, but not last": [post(service, "Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), "malformed_request"],
		"a folded header": [get(service, "X-A: b\r\n c\r\n"), "malformed_request"],
		"a line without CR": [get(service).replaceAll("\r\n", "\n"), "malformed_request"],
		"a header line without CR": [get(service, "X-A: b\n"), "malformed_request"],
		"a blank before the colon": [get(service, "X-A : b\r\n"), "malformed_request"],
		"a header without a name": [get(service, ": b\r\n"), "malformed_request"],
		"NUL in a header": [get(service, "X-A: b\0c\r\n"), "malformed_request"],
		"CR in a header": [get(service, "X-A: b\rc\r\n"), "malformed_request"],
		"a bad chunk size": [post(service, "Transfer-Encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n"), "malformed_request"],
		"a negative chunk size": [
			post(service, "Transfer-Encoding: chunked\r\n", "-1\r\n{}\r\n0\r\n\r\n"),
			"malformed_request",
		],
		"a chunk longer than its size": [
			post(service, "Transfer-Encoding: chunked\r\n", "2\r\n{}}\r\n0\r\n\r\n"),
			"malformed_request",
		],
		"a chunk size beyond all sense": [
			post(service, "Transfer-Encoding: chunked\r\n", "ffffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
			"malformed_request",
		],
	});
});

test("the Host header must be there once and name a host", async (context) => {
	const { key, port } = await testService(context);
	for (const host of [
		"",
		"Host:\r\n",
		"Host: a\r\nHost: a\r\n",
		"Host: a\r\nhost: b\r\n",
		"Host: a b\r\n",
		"Host: a/b\r\n",
		"Host: <script>\r\n",
		"Host: a,b\r\n",
		"Host: user@a\r\n",
	]) {
		const [reply] = await exchange(
			port,
			`GET /v1/pets HTTP/1.1\r\n${host}Authorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
		);
		assert.ok(reply);
		assertFailure(reply, "malformed_request");
	}
});

test("headers and URLs beyond their limits are 431 and 414", async (context) => {
	const service = await testService(context);
	await refused(service, {
		"a header of 70 KB": [get(service, `X-A: ${"a".repeat(70_000)}\r\n`), "headers_too_large"],
		"3,000 headers": [get(service, "a:\r\n".repeat(3000)), "headers_too_large"],
		"a URL of 20 KB": [`GET /v1/pets?cursor=${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, "uri_too_long"],
	});
	const many = await service.send({
		path: "/v1/pets",
		headers: Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`a${index}`, ""])),
	});
	assertFailure(many, "headers_too_large");
	assertFailure(await service.send({ path: `/v1/pets?cursor=${"a".repeat(13_000)}` }), "uri_too_long");
});

test("a body over the limit is 413: by its length unread, chunked once it is too long", async (context) => {
	const service = await testService(context);
	const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
	await refused(service, {
		"by its length": [post(service, "Content-Length: 65537\r\n"), "body_too_large"],
		chunked: [post(service, "Transfer-Encoding: chunked\r\n", chunk + chunk), "body_too_large"],
	});
});

test("100-continue is asked for only when the body is wanted; other expectations are 417", async (context) => {
	const service = await testService(context);
	const { port } = service;
	const expecting = (lines: string) => post(service, `${lines}Expect: 100-continue\r\nConnection: close\r\n`);
	const [bad] = await exchange(port, expecting(`Content-Length: ${pet.length}\r\n`).replace("Bearer ", "Bearer x"));
	assert.ok(bad);
	assertFailure(bad, "invalid_credential");
	const [large] = await exchange(port, expecting("Content-Length: 65537\r\n"));
	assert.ok(large);
	assertFailure(large, "body_too_large");
	const [interim, final] = await exchange(port, expecting(`Content-Length: ${pet.length}\r\n`) + pet);
	assert.deepEqual([interim?.status, final?.status], [100, 201]);
	for (const path of ["/v1/pets", "/v1/pets/1"])
		assertFailure(await service.send({ path, headers: { Expect: "foo" } }), "expectation_failed");
});

test("a request that stops arriving is 408, before its headers end and in its body", async (context) => {
	const service = await testService(context, { timeouts: { headersMs: 300, requestMs: 600 } });
	await refused(service, {
		"in its headers": ["GET /v1/pets HTTP/1.1\r\nHost: a\r\n", "request_timeout"],
		"in its body": [post(service, `Content-Length: ${pet.length}\r\n`, pet.slice(0, 5)), "request_timeout"],
		"in a chunk": [post(service, "Transfer-Encoding: chunked\r\n", "1b\r\n{"), "request_timeout"],
	});
});

test("a client that leaves before its body is complete stores nothing", async (context) => {
	const service = await testService(context);
	await new Promise<void>((resolve) => {
		const socket = connect(service.port, "127.0.0.1", () => {
			socket.write(post(service, `Content-Length: ${pet.length}\r\n`, pet.slice(0, -1)), () => socket.destroy());
		});
		socket.on("close", () => resolve());
	});
	assert.equal((await service.send({ path: "/v1/pets" })).body, "[]");
});

test("pipelined requests are answered in order, also when the last of them is broken", async (context) => {
	const service = await testService(context);
	const body = (name: string) => post(service, `Content-Length: ${pet.length}\r\n`, pet.replace('"a"', `"${name}"`));
	const replies = await exchange(service.port, `${body("x")}${body("y")}${get(service)}broken\r\n\r\n`);
	assert.deepEqual(
		replies.map(({ status }) => status),
		[201, 201, 200, 400],
	);
	assert.match(replies[0]?.body ?? "", /"x"/);
	assert.match(replies[1]?.body ?? "", /"y"/);
	assertFailure(replies[3] as (typeof replies)[0], "malformed_request");
});

test("Upgrade is ignored, and a GET with a body is served", async (context) => {
	const service = await testService(context);
	const upgrade = "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
	const [reply] = await exchange(service.port, get(service, upgrade));
	assert.equal(reply?.status, 200);
	assert.equal((await service.send({ path: "/v1/pets", body: "ignored" })).status, 200);
});

test("a connection serves many requests, small refused bodies included", async (context) => {
	const service = await testService(context);
	const good = post(service, `Content-Length: ${pet.length}\r\n`, pet);
	const bytes = await new Promise<Buffer>((resolve) => {
		const received: Buffer[] = [];
		const socket = connect(service.port, "127.0.0.1", () => {
			socket.write(
				good.replace("Bearer ", "Bearer x") +
					good.replace("application/json", "text/plain") +
					good +
					get(service, "Connection: close\r\n"),
			);
		});
		socket.on("data", (chunk) => received.push(chunk));
		socket.on("end", () => resolve(Buffer.concat(received)));
	});
	assert.deepEqual(
		parseReplies(bytes).map(({ status }) => status),
		[401, 415, 201, 200],
	);
});

test("a client that pipelines and reads nothing is cut off after 64 waiting requests", async (context) => {
	const service = await testService(context);
	const replies = await exchange(service.port, get(service).repeat(500));
	assert.ok(replies.length >= 65 && replies.length < 500, `${replies.length} replies`);
	const last = replies.pop();
	assert.ok(last);
	assertFailure(last, "overloaded");
	assert.equal(last.headers["connection"], "close");
	assert.ok(replies.every(({ status }) => status === 200));
});
