// Clients that send many requests before they read a reply get the replies in order. At most 32 requests may be under
// way; then the connection closes.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { underWayMax } from "../../src/http/connection.ts";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { type TestService, testService } from "../support/service.ts";
import { slowMs, until, within } from "../support/until.ts";
import { addLargePage, Connection, createHead, exchange, fillKernel } from "../support/wire.ts";

const get = ({ key }: TestService, lines = "", query = "") =>
	`GET /v1/pets${query} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${lines}\r\n`;

const post = ({ key }: TestService, lines = "") =>
	`${createHead(key, `Content-Length: 27\r\n${lines}`)}\r\n{"name":"a","categoryId":1}`;

test("of 1,000 pipelined requests 32 get replies, in order, and the last closes the connection", async (context) => {
	const service = await testService(context, { mixes: false });
	const requests = Array.from({ length: 1000 }, (_, count) => {
		const line = `X-Request-Id: n${count}\r\n`;
		return count % 10 === 0 ? post(service, line) : get(service, line);
	});
	const replies = await exchange(service.port, requests.join(""));
	assert.equal(replies.length, underWayMax);
	for (const [count, { status, headers }] of replies.entries()) {
		const expected = [count % 10 === 0 ? 201 : 200, `n${count}`, count === underWayMax - 1 ? "close" : "keep-alive"];
		assert.deepEqual([status, headers["x-request-id"], headers["connection"]], expected);
	}
	const { body } = await service.send({ path: "/v1/pets" });
	assert.equal(JSON.parse(body).length, 4, "a create without a reply was not done");
});

test("without a working key, at most 5 pipelined requests get a reply, and the connection ends", async (context) => {
	const service = await testService(context, { mixes: false });
	const unknown = keyFromRandom(Buffer.alloc(32));
	for (const key of ["", "x", unknown, unknown]) {
		const replies = await exchange(service.port, get({ ...service, key }).repeat(250));
		const { length } = replies;
		assert.ok(length > 0 && length <= 5, `${length} replies`);
		for (const [index, { status, headers }] of replies.entries())
			assert.deepEqual([status, headers["connection"]], [401, index === length - 1 ? "close" : "keep-alive"]);
	}
});

test("a client that keeps 31 requests under way gets the replies to 1,000 of them", async (context) => {
	const service = await testService(context);
	const connection = new Connection(service.port);
	let sent = 0;
	const send = (count: number) => {
		sent += count;
		connection.socket.write(get(service).repeat(count));
	};
	send(underWayMax - 1);
	for (let count = 1; count <= 1000; count++) {
		assert.equal((await connection.next())?.status, 200);
		if (sent < 1000) send(1);
	}
	connection.end();
});

/** A client that requests large pages and reads none, until the kernel's buffers are full and the service must wait. */
async function patientClient(context: TestContext, service: TestService, lines = "") {
	await addLargePage(service.port, service.key);
	const page = get(service, lines, "?limit=100");
	const socket = connect(service.port, "127.0.0.1");
	context.after(() => socket.destroy());
	const sent = await fillKernel(service, socket, page);
	/** @returns the status lines of all replies */
	async function read(): Promise<string[]> {
		let text = "";
		for await (const chunk of socket.setEncoding("latin1")) text += chunk;
		return text.match(/HTTP\/1.1 .*/g) ?? [];
	}
	return { socket, page, sent, read: () => within("the last reply", read()) };
}

test("a client that pipelines large pages and pauses for longer than a time-out gets them all", async (context) => {
	const service = await testService(context, { timeouts: { headersMs: 400, requestMs: 800 }, mixes: false });
	const { socket, page, sent, read } = await patientClient(context, service, `X-Padding: ${"x".repeat(1_000)}\r\n`);
	socket.write(page.repeat(19) + get(service, "Connection: close\r\n"));
	const late = new Connection(service.port);
	late.socket.write("GET /v1/pets HTTP/1.1\r\n");
	assert.equal((await late.next())?.status, 408);
	assert.deepEqual(await read(), Array(sent + 20).fill("HTTP/1.1 200 OK"));
});

test("a client that pauses while the service stops gets all replies to what was read", async (context) => {
	const service = await testService(context, { mixes: false });
	const { socket, page, sent, read } = await patientClient(context, service);
	socket.write(page.repeat(20));
	await until("the requests to arrive", () => service.traffic().requestsInFlight === 21);
	const idle = new Connection(service.port);
	idle.socket.write(get(service));
	assert.equal((await idle.next())?.status, 200);
	const stopped = service.stop();
	assert.equal(await idle.next(), undefined);
	assert.deepEqual(await read(), Array(sent + 20).fill("HTTP/1.1 200 OK"));
	await within("the stop", stopped);
});

test("requests that were read before a stop are all answered", async (context) => {
	const service = await testService(context, { mixes: false });
	const { store } = service;
	const create = store.createPet.bind(store);
	const { promise: released, resolve: release } = Promise.withResolvers<void>();
	context.mock.method(store, "createPet", (...given: Parameters<typeof create>) =>
		released.then(() => create(...given)),
	);
	const clients = Array.from({ length: 20 }, () => new Connection(service.port));
	const requests = get(service).repeat(28) + post(service).repeat(2);
	for (const { socket } of clients) socket.write(requests);
	const idle = new Connection(service.port);
	idle.socket.write(get(service));
	await Promise.all([idle, ...clients].map((client) => client.next()));
	const stopped = service.stop(slowMs); // On a busy machine, all replies together take longer than a stop normally may.
	for (const client of clients)
		for (let count = 1; count < 28; count++) assert.equal((await client.next())?.status, 200);
	assert.equal(await idle.next(), undefined, "a connection without requests is closed");
	release();
	for (const client of [...clients, ...clients]) assert.equal((await client.next())?.status, 201);
	await within("the stop", stopped);
});
