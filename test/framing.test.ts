// Malformed HTTP requests that no client would send: each gets the Error object, and ambiguous ones (request smuggling)
// are refused and the connection is closed. Values of Host are in test/corpus/hosts.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { ErrorCode } from "../src/contract/errors.ts";
import { defaultTimeouts } from "../src/http/listen.ts";
import { pick, seed, seededRandom } from "./random.ts";
import { assertFailure, type TestService, testService } from "./service.ts";
import { Connection, exchange } from "./wire.ts";

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

test("a malformed or ambiguous request gets 400 and the connection is closed", async (context) => {
	const service = await testService(context);
	const length = `Content-Length: ${pet.length}\r\n`;
	await refused(service, {
		"no HTTP": ["hello\r\n\r\n", "malformed_request"],
		"TLS on the plain port": [Buffer.from("16030100a5010000a10303", "hex"), "malformed_request"],
		"HTTP/2 preface": ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "malformed_request"],
		"unknown method": ["BREW /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n", "malformed_request"],
		"HTTP/2.0": ["GET /v1/pets HTTP/2.0\r\nHost: a\r\n\r\n", "malformed_request"],
		"HTTP/0.9": ["GET /v1/pets HTTP/0.9\r\nHost: a\r\n\r\n", "malformed_request"],
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
		"another coding before chunked": [
			post(service, "Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
			"malformed_request",
		],
		"another coding before chunked, then a bad chunk": [
			post(service, "Transfer-Encoding: gzip, chunked\r\n", "zz\r\n"),
			"malformed_request",
		],
		"two transfer codings": [
			post(service, "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
			"malformed_request",
		],
		"chunked twice": [
			post(service, "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
			"malformed_request",
		],
		"an empty coding before chunked": [
			post(service, "Transfer-Encoding: ,chunked\r\n", "0\r\n\r\n"),
			"malformed_request",
		],
		"chunked in HTTP/1.0": [
			post(service, "Transfer-Encoding: chunked\r\n", "0\r\n\r\n").replace("HTTP/1.1", "HTTP/1.0"),
			"malformed_request",
		],
		"two content types": [post(service, `${length}Content-Type: text/plain\r\n`, pet), "malformed_request"],
		"the same content type twice": [
			post(service, `${length}content-type: application/json\r\n`, pet),
			"malformed_request",
		],
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

test("a target that is not a path, an http URL or the * of OPTIONS gets 400 and a close, and reveals nothing without a key", async (context) => {
	const service = await testService(context);
	const rows = [
		"GET *v1/pets",
		"GET http://a?v1/pets",
		"GET http://a",
		"GET http:///v1/pets",
		"GET http://user@a/v1/pets",
		"GET http://[[]]/v1/pets",
		"GET ftp://a/v1/pets",
		"GET ?v1/pets",
		"GET v1/pets",
		"GET *",
		"OPTIONS *v1/pets",
		"DELETE *v1/pets",
		"POST *v1/pets",
		"HEADX /v1/pets",
	];
	const hidden = post(service, `Content-Length: ${pet.length}\r\n`, pet);
	const bytes = (line: string, key: string) => `${line} HTTP/1.1\r\nHost: a\r\n${key}\r\n${hidden}`;
	await refused(
		service,
		Object.fromEntries(
			rows.flatMap((line) => [
				[line, [bytes(line, ""), "malformed_request"]],
				[`${line} with a key`, [bytes(line, `Authorization: Bearer ${service.key}\r\n`), "malformed_request"]],
			]),
		),
	);
	const [asterisk] = await exchange(service.port, "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
	assertFailure(asterisk as NonNullable<typeof asterisk>, "route_not_found");
});

test("headers and URLs above their limits get 431 and 414", async (context) => {
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

test("a body above the limit gets 413: unread if its length is given, else when it becomes too long", async (context) => {
	const service = await testService(context);
	const chunk = `10000\r\n${" ".repeat(0x10000)}\r\n`;
	await refused(service, {
		"by its length": [post(service, "Content-Length: 65537\r\n"), "body_too_large"],
		chunked: [post(service, "Transfer-Encoding: chunked\r\n", chunk + chunk), "body_too_large"],
	});
});

test("100-continue is sent only if the body will be read; other expectations get 417", async (context) => {
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
	const old = expecting(`Content-Length: ${pet.length}\r\n`).replace("HTTP/1.1", "HTTP/1.0") + pet;
	const statuses = (await exchange(port, old)).map(({ status }) => status);
	assert.deepEqual(statuses, [201], "HTTP/1.0 knows no 100");
});

test("a stalled request gets 408 wherever it stops, with time-outs proportional to the defaults", async (context) => {
	const timeouts = Object.fromEntries(Object.entries(defaultTimeouts).map(([name, ms]) => [name, ms / 50]));
	const service = await testService(context, { timeouts });
	const length = `Content-Length: ${pet.length}\r\n`;
	await refused(service, {
		"in its headers": ["GET /v1/pets HTTP/1.1\r\nHost: a\r\n", "request_timeout"],
		"after its headers": [post(service, length), "request_timeout"],
		"in its body": [post(service, length, pet.slice(0, 5)), "request_timeout"],
		"after the headers of a chunked body": [post(service, "Transfer-Encoding: chunked\r\n"), "request_timeout"],
		"in a chunk": [post(service, "Transfer-Encoding: chunked\r\n", "1b\r\n{"), "request_timeout"],
		"between chunks": [post(service, "Transfer-Encoding: chunked\r\n", "1\r\n{\r\n"), "request_timeout"],
	});
	const replies = await exchange(service.port, post(service, `${length}Expect: 100-continue\r\n`));
	assert.deepEqual(
		replies.map(({ status }) => status),
		[100, 408],
	);
	assertFailure(replies[1] as (typeof replies)[0], "request_timeout");
	assert.deepEqual(
		service.log.filter(({ level }) => level === "error"),
		[],
		"it is no fault of the service",
	);
});

test("a HEAD request that is refused before routing gets headers and no body", async (context) => {
	const service = await testService(context, { timeouts: { headersMs: 200, requestMs: 400 } });
	const head = "HEAD /v1/pets HTTP/1.1\r\nHost: a\r\n";
	const rows: Record<string, [bytes: string, status: number]> = {
		"by the parser, in its line": ["HEAD /v1/pets HTTP/9.9\r\nHost: a\r\n\r\n", 400],
		"by the parser, in its headers": [`${head}a b: c\r\n\r\n`, 400],
		"by the parser, too long": [`${head}X-A: ${"a".repeat(70_000)}\r\n\r\n`, 431],
		"by its framing": ["HEAD *v1/pets HTTP/1.1\r\nHost: a\r\n\r\n", 400],
	};
	for (const [name, [bytes, status]] of Object.entries(rows)) {
		const connection = new Connection(service.port);
		connection.socket.write(bytes);
		assert.equal((await connection.next(true))?.status, status, name);
		assert.equal(await connection.next(true), undefined, name);
		assert.equal(connection.received.length, 0, name);
	}
	const replies = await exchange(service.port, `${get(service)}HEAD /v1/pets HTTP/9.9\r\n\r\n`);
	assert.deepEqual([replies[1]?.status, replies[1]?.body], [400, ""], "behind another request");
	const [, refusedGet] = await exchange(service.port, `HEAD /livez HTTP/1.1\r\nHost: a\r\n\r\nbroken\r\n\r\n`, true);
	assert.equal(refusedGet?.status, 400);
});

test("an incomplete body stores nothing", async (context) => {
	const service = await testService(context);
	const upload = new Connection(service.port);
	upload.socket.write(post(service, `Content-Length: ${pet.length}\r\n`, pet.slice(0, -1)), () => upload.end());
	assert.equal(await upload.next(false), undefined);
	assert.equal((await service.send({ path: "/v1/pets" })).body, "[]");
	await service.stop();
	assert.deepEqual(
		service.log.filter(({ level }) => level === "error"),
		[],
		"it is no fault of the service",
	);
});

test("pipelined requests are answered in order, even if the last one is malformed", async (context) => {
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
	const badBody = post(service, "Transfer-Encoding: chunked\r\n", "zz\r\n");
	for (const [bytes, status] of [
		[badBody, 400],
		[badBody.replace("Bearer ", "Bearer x"), 401],
		["CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 405],
	]) {
		const behindCreate = await exchange(service.port, `${body("z")}${bytes}`);
		assert.deepEqual(
			behindCreate.map((reply) => reply.status),
			[201, status],
		);
	}
	const badChunk = post(service, "Transfer-Encoding: gzip, chunked\r\n", "zz\r\n");
	const behind = await exchange(service.port, `${get(service)}${badChunk}`);
	assert.deepEqual(
		behind.map(({ status }) => status),
		[200, 400],
		"refused, and then broken",
	);
});

test("a request with Upgrade is the last one of its connection, and a GET with a body is served", async (context) => {
	const service = await testService(context);
	const upgrade = { Connection: "Upgrade, HTTP2-Settings", Upgrade: "h2c", "HTTP2-Settings": "AAMAAABkAAQAAP__" };
	const reply = await service.send({ path: "/v1/pets", headers: upgrade });
	assert.deepEqual([reply.status, reply.headers["connection"]], [200, "close"]);
	assert.equal((await service.send({ path: "/v1/pets", body: "ignored" })).status, 200);
});

test("a connection serves many requests, including those refused after their body was read", async (context) => {
	const service = await testService(context);
	const good = post(service, `Content-Length: ${pet.length}\r\n`, pet);
	const bytes = [
		good.replace("Bearer ", "Bearer x"),
		good.replace("application/json", "text/plain"),
		good.replace('"a"', "'a'"),
		post(service, "Transfer-Encoding: chunked\r\n", "2\r\n{]\r\n0\r\n\r\n"),
		good,
		get(service, "Connection: close\r\n"),
	];
	assert.deepEqual(
		(await exchange(service.port, bytes.join(""))).map(({ status }) => status),
		[401, 415, 400, 400, 201, 200],
	);
});

test("requests with blank lines in their bodies are all answered, in whatever pieces they arrive", async (context) => {
	const service = await testService(context, { mixes: false });
	const random = seededRandom(seed);
	const spaced = '{"name":"a",\r\n\r\n"categoryId":\r\n\r\n1}\r\n\r\n';
	const chunk = `${spaced.length.toString(16)}\r\n${spaced}\r\n`;
	const kinds = [
		[get(service), 200],
		[`\r\n${get(service)}`, 200],
		[post(service, `Content-Length: ${spaced.length}\r\n`, spaced), 201],
		[post(service, "Transfer-Encoding: chunked\r\n", `${chunk}0\r\n\r\n`), 201],
		[post(service, "Transfer-Encoding: chunked\r\n", `${chunk}0\r\nX-A: b\r\n\r\n`), 201],
		[get(service, `Content-Length: ${spaced.length}\r\n`) + spaced, 200],
	] as const;
	for (let round = 0; round < 15; round++) {
		const sent = Array.from({ length: 40 }, () => pick(kinds, random));
		const connection = new Connection(service.port);
		const bytes = sent.map(([request]) => request).join("");
		const size = pick([1, 10, 100, 1000, 10_000], random);
		for (let at = 0, end = 0; at < bytes.length; at = end) {
			end = at + 1 + Math.floor(random() * size);
			connection.socket.write(bytes.slice(at, end));
			if (at % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
		}
		const statuses: (number | undefined)[] = [];
		while (statuses.length < sent.length) statuses.push((await connection.next(false))?.status);
		assert.deepEqual(
			statuses,
			sent.map(([, status]) => status),
			`round ${round}`,
		);
		connection.end();
	}
});
