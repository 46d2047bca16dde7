// Clients that send many requests before they read a reply get all replies, in order, also if requests had to wait.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { type TestService, testService } from "../support/service.ts";
import { slowMs, until, within } from "../support/until.ts";
import { Connection, exchange, type Reply } from "../support/wire.ts";

const pet = '{"name":"a","categoryId":1}';
const close = "Connection: close\r\n";
/** Its body is longer than any packet. */
const longPet = pet.replace("}", `${" ".repeat(65_000)}}`);

const head = ({ key }: TestService, method: string, lines: string, query = "") =>
	`${method} /v1/pets${query} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${lines}\r\n`;

const post = (service: TestService, body: string, lines = "") =>
	head(service, "POST", `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines}`) +
	body;

const postChunked = (service: TestService, body: string) =>
	`${head(service, "POST", "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n")}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

const statuses = (replies: Reply[]) => replies.map(({ status }) => status);

test("a client that pipelines 1,000 requests gets all replies, in order", async (context) => {
	const service = await testService(context);
	const lines = (count: number) => `X-Request-Id: n${count}\r\n${count === 999 ? close : ""}`;
	const requests = Array.from({ length: 1000 }, (_, count) =>
		count % 10 === 0 ? post(service, pet, lines(count)) : head(service, "GET", lines(count)),
	);
	const replies = await exchange(service.port, requests.join(""));
	assert.deepEqual(
		replies.map(({ status, headers }) => [status, headers["x-request-id"]]),
		requests.map((_, count) => [count % 10 === 0 ? 201 : 200, `n${count}`]),
	);
});

test("a client that ends its side after 1,000 requests gets all replies", async (context) => {
	const service = await testService(context);
	const connection = new Connection(service.port);
	connection.socket.end(`${head(service, "GET", "").repeat(999)}${post(service, pet)}`);
	for (let count = 0; count < 999; count++) assert.equal((await connection.next(false))?.status, 200);
	assert.equal((await connection.next(false))?.status, 201);
	assert.equal(await connection.next(false), undefined);
});

test("pipelined bodies of every length are read, however they are framed and cut into packets", async (context) => {
	const service = await testService(context);
	const bodies = [pet, longPet, pet.replace("{", `{${"\r\n\r\n".repeat(10)}`)];
	const requests = bodies.flatMap((body) => [
		post(service, body),
		postChunked(service, body),
		head(service, "GET", ""),
	]);
	const bytes = requests.join("").repeat(10) + head(service, "GET", close);
	const expected = [...Array(30).fill([201, 201, 200]).flat(), 200];
	assert.deepEqual(statuses(await exchange(service.port, bytes)), expected);
	const connection = new Connection(service.port);
	await once(connection.socket, "connect");
	for (let from = 0; from < bytes.length; from += 9_973) {
		await new Promise((resolve) => connection.socket.write(bytes.slice(from, from + 9_973), resolve));
	}
	for (const status of expected) assert.equal((await connection.next(false))?.status, status);
});

/** A client that sends 400 requests for large pages, and reads no reply before `read` is called. */
async function patientClient(context: TestContext, service: TestService, lines: string) {
	const many = post(service, JSON.stringify({ name: "🐾".repeat(255), categoryId: 1 })).repeat(99);
	await exchange(service.port, many + post(service, pet, close));
	const socket = connect(service.port, "127.0.0.1").pause();
	context.after(() => socket.destroy());
	socket.write(head(service, "GET", lines, "?limit=100").repeat(400));
	/** @returns the status lines of all replies */
	async function read(): Promise<string[]> {
		let text = "";
		for await (const chunk of socket.setEncoding("latin1")) text += chunk;
		return text.match(/HTTP\/1.1 .*/g) ?? [];
	}
	return { socket, read: () => within("the last reply", read()) };
}

test("a client that pipelines large pages and pauses longer than a request may take to arrive gets all of them", async (context) => {
	const service = await testService(context, { timeouts: { headersMs: 400, requestMs: 800 }, mixes: false });
	const { socket, read } = await patientClient(context, service, `X-Padding: ${"x".repeat(1_000)}\r\n`);
	socket.write(head(service, "GET", close));
	const late = new Connection(service.port);
	late.socket.write("GET /v1/pets HTTP/1.1\r\n");
	assert.equal((await late.next(false))?.status, 408);
	assert.deepEqual(await read(), Array(401).fill("HTTP/1.1 200 OK"));
});

test("a client that pauses while the service stops gets all replies to what was read", async (context) => {
	const service = await testService(context, { mixes: false });
	const { read } = await patientClient(context, service, "");
	const idle = new Connection(service.port);
	idle.socket.write(head(service, "GET", ""));
	assert.equal((await idle.next(false))?.status, 200);
	const stopped = service.stop();
	assert.equal(await idle.next(false), undefined);
	assert.deepEqual(await read(), Array(400).fill("HTTP/1.1 200 OK"));
	await within("the stop", stopped);
});

test("requests that were read before a stop are all answered", async (context) => {
	const service = await testService(context, { mixes: false });
	const clients = Array.from({ length: 20 }, () => new Connection(service.port));
	for (const { socket } of clients) socket.write(head(service, "GET", "").repeat(300));
	await Promise.all(clients.map((client) => client.next(false)));
	const stopped = service.stop(slowMs); // On a busy machine, all of them take longer than a stop may.
	for (const client of clients) {
		for (let count = 1; count < 300; count++) assert.equal((await client.next(false))?.status, 200);
	}
	await within("the stop", stopped);
});

test("above the limit of unread replies, a client with one waits, and one that reads is answered", async (context) => {
	const service = await testService(context, { unsentMax: 1, mixes: false });
	const long = JSON.stringify({ name: "🐾".repeat(255), categoryId: 1 });
	await exchange(service.port, post(service, long).repeat(9) + post(service, long, close));
	const page = head(service, "GET", "");
	const inFlight = () => service.traffic().requestsInFlight;
	const slow = connect(service.port, "127.0.0.1").pause();
	context.after(() => slow.destroy());
	/** Whether the kernel has no room for the reply, which then stays in the service. */
	async function isUnsent(): Promise<boolean> {
		const { sentBytes } = service.traffic();
		slow.write(page);
		await until("a reply", () => service.traffic().sentBytes > sentBytes, { everyMs: 1 });
		let looks = 0;
		await until("the kernel to take it, or not", () => inFlight() === 0 || ++looks > 10, { everyMs: 20 });
		return inFlight() > 0;
	}
	let count = 1;
	while (!(await isUnsent())) count++;
	slow.write(page.repeat(5) + head(service, "GET", close));
	const reader = new Connection(service.port);
	for (let replies = 0; replies < 3; replies++) {
		reader.socket.write(page);
		assert.equal((await reader.next(false))?.status, 200);
	}
	await until("the requests of the reader to end", () => inFlight() <= 1, { withinMs: 5000 });
	const text = Buffer.concat(await slow.toArray()).toString("latin1");
	assert.equal(text.match(/HTTP\/1\.1 200 OK/g)?.length, count + 6);
	reader.socket.destroy();
});

test("nothing behind a reply that closes the connection is done, even while earlier replies are to come", async (context) => {
	const service = await testService(context, { mixes: false });
	const unread = postChunked(service, pet).replace(/Authorization: .*\r\n/, "");
	const bytes = head(service, "GET", "") + post(service, pet) + unread + post(service, pet) + postChunked(service, pet);
	for (let count = 1; count <= 20; count++) {
		assert.deepEqual(statuses(await exchange(service.port, bytes)), [200, 201, 401]);
		const [{ body } = assert.fail()] = await exchange(service.port, head(service, "GET", close, "?limit=100"));
		assert.equal(JSON.parse(body).length, count);
	}
});
