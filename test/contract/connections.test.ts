// The server's connections: how many are open, when they time out, and how they are closed.

import assert from "node:assert/strict";
import { once } from "node:events";
import type { RequestListener, Server } from "node:http";
import { connect } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { promisify } from "node:util";
import { underWayMax } from "../../src/http/connection.ts";
import { createHttpServer, defaultTimeouts, type ServerOptions } from "../../src/http/listen.ts";
import { createReplyWatch } from "../../src/http/reply-watch.ts";
import { networkOf } from "../../src/http/traffic.ts";
import { createUnsent } from "../../src/http/unsent.ts";
import { ask } from "../support/caller.ts";
import { listenFor } from "../support/listen.ts";
import { startProgram } from "../support/program.ts";
import { figureOf } from "../support/scrape.ts";
import { assertFailure, assertNoErrors, temporaryStore, testService } from "../support/service.ts";
import { until, within } from "../support/until.ts";
import { createHead, exchange, type Reply } from "../support/wire.ts";

const get = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
const answers: RequestListener = (_request, response) => void response.end("yes");

const ignore = () => {};
const log = { info: ignore, warn: ignore };
const watch = createReplyWatch({ log, node: "test", onReply: ignore, isOnTerminal: false });
const common = { timeouts: defaultTimeouts, fields: [], isClosing: () => false, watch };

/** Starts a server like the servers of the service's two ports, with this handler. */
async function listen(context: TestContext, handler: RequestListener, options: Partial<ServerOptions>) {
	const server = createHttpServer(({ request, response }) => handler(request, response), { ...common, ...options });
	return { server, port: await listenFor(context, server) };
}

const openConnections = (server: Server) => promisify(server.getConnections.bind(server))();

/** Opens a connection that sends one request. `answer` is the reply, or "" if the connection closes without one. */
function open(context: TestContext, port: number, localAddress = "127.0.0.1") {
	const socket = connect({ port, host: "127.0.0.1", localAddress }, () => socket.write(get));
	context.after(() => socket.destroy());
	socket.on("error", () => {});
	const answer = new Promise<string>((resolve) => {
		socket.setEncoding("utf8").once("data", (text) => resolve(String(text)));
		socket.once("close", () => resolve(""));
	});
	return { socket, answer: within("an answer or the end of a connection", answer) };
}

test("idle connections are closed, including those that never sent anything", async (context) => {
	const timeouts = { ...defaultTimeouts, headersMs: 300, keepAliveMs: 200, stalledMs: 400 };
	const { server, port } = await listen(context, answers, { timeouts });
	const silent = connect(port, "127.0.0.1").resume();
	context.after(() => silent.destroy());
	assert.match(await open(context, port).answer, /yes/);
	await until("both connections to be closed", async () => (await openConnections(server)) === 0);
});

test("a request that stalls after a 100 gets 408, with time-outs proportional to the defaults", async (context) => {
	const proportional = Object.fromEntries(Object.entries(defaultTimeouts).map(([name, ms]) => [name, ms / 50]));
	// In the first service, the limit of the whole request ends the wait; in the second, the limit of a pause.
	for (const timeouts of [proportional, { ...proportional, requestMs: 60_000 }]) {
		const service = await testService(context, { timeouts });
		const stalled = createHead(service.key, "Content-Length: 27\r\nExpect: 100-continue\r\n\r\n");
		const [asked, refused] = await exchange(service.port, stalled);
		assert.equal(asked?.status, 100);
		assertFailure(refused as Reply, "request_timeout");
		assert.equal(refused?.headers["connection"], "close");
		assert.equal((await service.send({ path: "/v1/pets" })).body, "[]", "nothing was stored");
		assertNoErrors(service);
	}
});

test("after the last reply, a connection with unread bytes stays half open, and no other", async (context) => {
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const refuses: RequestListener = (_request, response) =>
		void response.writeHead(401, { connection: "close" }).end("no");
	const { server, port } = await listen(context, refuses, {});
	let isEnded = false;
	const received: string[] = [];
	const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => {
		socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\n");
		socket.write(Buffer.alloc(1_000_000));
	});
	context.after(() => socket.destroy());
	socket.on("error", () => {});
	socket.setEncoding("utf8").on("data", (text) => received.push(String(text)));
	socket.on("end", () => {
		isEnded = true;
	});
	for (let turns = 0; turns < 1_000_000 && !isEnded; turns++) await tick();
	assert.match(received.join(""), /^HTTP\/1\.1 401 [\s\S]*\r\nno\r\n/);
	context.mock.timers.tick(499);
	assert.equal(await openConnections(server), 1, "half open");
	context.mock.timers.tick(1);
	assert.equal(await openConnections(server), 0, "the connection stays closed");
	const read = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => read.write(get));
	context.after(() => read.destroy());
	await once(read.resume(), "end");
	for (let turns = 0; turns < 1_000_000 && (await openConnections(server)) > 0; turns++) await tick();
	assert.equal(await openConnections(server), 0, "all bytes were read");
});

test("requests of a packet that get no reply are not parsed, because that would delay others", async (context) => {
	const { server, port } = await listen(context, answers, { timeouts: { ...defaultTimeouts, stalledMs: 3_000 } });
	let parsed = 0;
	server.on("request", () => parsed++);
	const replies = await exchange(port, get.repeat(250));
	assert.deepEqual([replies.length, parsed], [underWayMax, underWayMax + 1]);
});

test("a client that takes no replies is cut off at the limit of unsent bytes, and no other", async (context) => {
	const unsent = createUnsent({ keyMaxBytes: 20e6, allMaxBytes: 20e6 });
	const body = "x".repeat(4e6);
	const end = context.mock.method(watch, "end");
	const server = createHttpServer((exchange) => exchange.send(body), { ...common, unsent });
	const port = await listenFor(context, server);
	const slow = connect(port, "127.0.0.1").pause();
	context.after(() => slow.destroy());
	slow.write(get.repeat(4));
	await until("unsent bytes", () => unsent.bytes() > 0);
	const reading = exchange(port, get.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
	slow.write(get.repeat(20));
	assert.equal((await reading)[0]?.body.length, body.length);
	await until("the slow client to be cut off", () => server.open.size === 0);
	assert.equal(unsent.bytes(), 0, "nothing is held any more");
	const reasons = end.mock.calls.map(({ arguments: [{ failure }] }) => failure);
	assert.ok(reasons.includes("overloaded"), `${reasons}`);
});

test("an address has at most CONNECTIONS_PER_ADDRESS connections, and others can connect", async (context) => {
	const { port, log, stop, traffic } = await testService(context, { environment: { CONNECTIONS_PER_ADDRESS: "2" } });
	let refused = 0;
	const isRefused = async () => {
		const answer = await open(context, port).answer;
		if (answer === "") refused++;
		else assert.match(answer, /200 OK/);
		return answer === "";
	};
	const kept = [open(context, port), open(context, port)];
	for (const { answer } of kept) assert.match(await answer, /200 OK/);
	assert.ok(await isRefused());
	// Only Linux has all addresses of 127.0.0.0/8 without configuration.
	for (let round = 0; process.platform === "linux" && round < 2; round++) {
		const others = [open(context, port, "127.0.0.2"), open(context, port, "127.0.0.2")];
		for (const { answer } of others) assert.match(await answer, /200 OK/, "those of the round before are closed");
		for (const { socket } of others) socket.destroy();
		await until("their end", () => traffic().connections === kept.length);
	}
	kept[0]?.socket.resetAndDestroy();
	await until("a place to be free", async () => !(await isRefused()));
	assert.ok(await isRefused(), "the limit still holds after a connection was closed");
	await until("the log line", () => log.some(({ msg }) => msg === "connections were refused"));
	assert.ok(await isRefused());
	assert.deepEqual(traffic().connectionsRefused, { address_limit: refused, total_limit: 0 });
	await stop(0);
	const lines = log.filter(({ msg, reason }) => msg === "connections were refused" && reason === "address_limit");
	const logged = lines.reduce((sum, { count }) => sum + Number(count), 0);
	assert.equal(logged, refused);
	const free = await testService(context, { environment: { CONNECTIONS_PER_ADDRESS: "0" } });
	for (let count = 0; count < 5; count++) assert.match(await open(context, free.port).answer, /200 OK/);
});

test("with 64 files, more connections are closed and counted; operators can connect", {
	skip: process.platform !== "linux",
}, async (context) => {
	const environment = { DATABASE_URL: temporaryStore(context) };
	const under = ["prlimit", "--nofile=64:64"];
	const service = await startProgram(context, environment, { under });
	const { url, opsUrl, output } = service;
	const sent = 200;
	const all = Array.from({ length: sent }, () => open(context, Number(new URL(url).port)).answer);
	const served = (await Promise.all(all)).filter((answer) => answer.includes("200 OK")).length;
	for (const path of ["livez", "readyz"]) assert.equal((await ask(`${opsUrl}/${path}`)).status, 200);
	assert.ok(served > 0 && served < 64, `${served} served`);
	const refused = figureOf(service, "animal_store_connections_refused_total", { reason: "total_limit" });
	assert.equal(await refused, sent - served);
	const logged = () =>
		[...output.stdout.matchAll(/"reason":"total_limit","count":(\d+)/g)].map(([, count]) => Number(count));
	await until("all to be logged", () => logged().reduce((sum, count) => sum + count, 0) === sent - served);
});

test("CONNECTIONS_PER_ADDRESS does not count the connections of trusted proxies", async (context) => {
	const limit = { CONNECTIONS_PER_ADDRESS: "2" };
	const { port } = await testService(context, { environment: { ...limit, TRUST_PROXY: "loopback" } });
	for (let count = 0; count < 5; count++) assert.match(await open(context, port).answer, /200 OK/);
	const other = await testService(context, { environment: { ...limit, TRUST_PROXY: "192.0.2.1" } });
	for (let count = 0; count < 2; count++) assert.match(await open(context, other.port).answer, /200 OK/);
	assert.equal(await open(context, other.port).answer, "");
});

test("an IPv6 client is its /64 network, and an IPv4 client its address in either notation", () => {
	const rows: Record<string, string> = {
		"192.0.2.1": "192.0.2.1",
		"::ffff:192.0.2.1": "192.0.2.1",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2",
		"2001:db8:1:2::9": "2001:db8:1:2",
		"2001:db8::9": "2001:db8:0:0",
		"2001:db8::3:4:5:6": "2001:db8:0:0",
		"2001::2:3:4:5:6": "2001:0:0:2",
		"::1": "0:0:0:0",
	};
	for (const [address, network] of Object.entries(rows)) assert.equal(networkOf(address), network, address);
});
