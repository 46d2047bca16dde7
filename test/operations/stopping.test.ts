// Readiness and shutdown: accepted requests are answered, idle connections closed, and endless requests aborted.

import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent } from "node:http";
import { test } from "node:test";
import { ask } from "../support/caller.ts";
import { attempt, post } from "../support/create.ts";
import { passedSocket, startProgram, startRefused } from "../support/program.ts";
import { withKey } from "../support/proof.ts";
import { create, type TestService, temporaryStore, testService } from "../support/service.ts";
import { withStore } from "../support/store-reads.ts";
import { testLimitMs, until, within } from "../support/until.ts";
import { Connection, createHead } from "../support/wire.ts";

/** A connection that has sent the headers of a request without their end, so that the service waits for the rest. */
async function unfinished({ port }: TestService, path: string, lines = ""): Promise<Connection> {
	const connection = new Connection(port);
	await once(connection.socket, "connect");
	connection.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${lines}`);
	return connection;
}

/** Waits until the port refuses connections. */
async function portClosed({ url }: TestService): Promise<void> {
	const isRefused = async () => (await ask(`${url}/livez`).catch(({ code }) => code)) === "ECONNREFUSED";
	await until("the port to close", isRefused);
}

test("while the service stops, readyz is 503 on both ports, and accepted requests are answered", async (context) => {
	const service = await testService(context);
	const ready = await unfinished(service, "/readyz");
	const list = await unfinished(service, "/v1/pets", `Authorization: Bearer ${service.key}\r\n`);
	const upload = new Connection(service.port);
	upload.socket.write(createHead(service.key, "Content-Length: 27\r\nExpect: 100-continue\r\n\r\n"));
	assert.equal((await upload.next())?.status, 100, "the service asks for the body");
	const idle = new Connection(service.port);
	idle.socket.write("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
	assert.equal((await idle.next())?.status, 200);
	const stopped = service.stop();
	assert.equal(await idle.next(), undefined, "the idle connection is closed");
	await portClosed(service);
	const onOpsPort = await ask(`${service.opsUrl}/readyz`);
	assert.deepEqual([onOpsPort.status, JSON.parse(onOpsPort.body).code], [503, "shutting_down"]);
	assert.equal((await ask(`${service.opsUrl}/livez`)).status, 200);
	ready.socket.write("\r\n");
	const notReady = await ready.next();
	assert.deepEqual([notReady?.status, notReady?.headers["connection"]], [503, "close"]);
	assert.match(notReady?.body ?? "", /"shutting_down"/);
	upload.socket.write('{"name":"a"');
	upload.socket.write(',"categoryId":1}');
	assert.equal((await upload.next())?.status, 201);
	list.socket.write("\r\n");
	const listed = await list.next();
	assert.deepEqual([listed?.status, listed?.headers["connection"], listed?.body.length], [200, "close", 36]);
	await within("the stop", stopped);
});

test("connections that wait to be accepted when the service stops are accepted and answered", async (context) => {
	const service = await testService(context, { mixes: false });
	const waiting = Array.from({ length: 300 }, () => new Connection(service.port));
	// All clients connect before the service has accepted many, because it accepts one connection per tick.
	await Promise.all(waiting.map(({ socket }) => once(socket, "connect")));
	for (const { socket } of waiting) socket.write("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
	const stopped = service.stop(testLimitMs);
	const replies = await Promise.all(waiting.map((connection) => connection.next()));
	for (const reply of replies) assert.equal(reply?.status, 200);
	await within("the stop", stopped);
});

test("on a busy event loop where nobody connects, a stop does not wait for a short tick", async (context) => {
	const service = await testService(context, { mixes: false });
	let isStopped = false;
	function burn(): void {
		for (const untilMs = performance.now() + 3; performance.now() < untilMs; );
		if (!isStopped) setImmediate(burn);
	}
	setImmediate(burn);
	// A service that waited for a short tick would give up only after 20 s, half of its time.
	const stopped = service.stop(40_000).then(() => {
		isStopped = true;
	});
	await within("the stop", stopped, 10_000);
});

test("a client that pauses gets one more reply while the service stops, with Connection: close", async (context) => {
	const service = await testService(context, { mixes: false });
	const emptyLines = "POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n\r\n\r\n\r\n\r\n";
	const requests = ["GET /livez HTTP/1.1\r\nHost: a\r\n\r\n", emptyLines];
	const connections = requests.map(() => new Connection(service.port));
	const ask = async (connection: Connection, index: number) => {
		connection.socket.write(requests[index] ?? "");
		const reply = await connection.next();
		return `${reply?.status} ${reply?.headers["connection"]}`;
	};
	const first = await Promise.all(connections.map(ask));
	assert.equal(first[0], "200 keep-alive");
	const stopped = service.stop();
	await portClosed(service);
	const startedAtMs = performance.now();
	await until("the end of the pause", () => performance.now() - startedAtMs > 600);
	assert.deepEqual(await Promise.all(connections.map(ask)), ["200 close", "401 close"]);
	await within("the stop", stopped);
});

test("requests that are unfinished when the grace period ends are aborted", async (context) => {
	const service = await testService(context);
	const endless = await unfinished(service, "/livez");
	await service.send({ path: "/livez" });
	await within("the stop", service.stop(300));
	assert.equal(await endless.next(), undefined);
});

test("with STOP_DELAY, a stopping service accepts connections while readyz is 503, then ends", async (context) => {
	const service = await testService(context, { environment: { STOP_DELAY: "3s" }, mixes: false });
	const startedAt = performance.now();
	const stopped = service.stop(2000, { signal: "SIGTERM" });
	assert.equal((await service.send({ path: "/readyz" })).status, 503);
	const list = await service.send({ path: "/v1/pets" });
	assert.deepEqual([list.status, list.headers["connection"]], [200, "close"]);
	assert.equal((await service.send(create({ name: "a", categoryId: 1 }))).status, 201);
	await within("the stop", stopped);
	assert.ok(performance.now() - startedAt >= 3000);
	assert.equal(service.log.find(({ msg }) => msg === "stopping")?.["signal"], "SIGTERM");
	const keys = await withStore(service.databaseUrl, (store) => store.keys.list());
	assert.ok(keys.find(({ name }) => name === "test")?.usedAtMs["createPet"], "the last use of the key is stored");
});

test("with a socket that systemd holds, a restart under load fails no request", async (context) => {
	const { environment, key } = await withKey(temporaryStore(context));
	const socket = passedSocket(context);
	const url = `http://127.0.0.1:${socket.port}`;
	let [replies, isStopped] = [0, false];
	const client = async () => {
		for (; !isStopped; replies++)
			assert.equal((await post(url, key, new Agent({ keepAlive: false }), attempt(replies))).status, 201);
	};
	let node = await startProgram(context, environment, socket);
	assert.equal(node.url, url);
	const clients = Promise.all(Array.from({ length: 8 }, client));
	await Promise.race([clients, until("100 replies", () => replies > 100)]);
	await node.stop();
	node = await startProgram(context, environment, socket);
	const enough = replies + 100;
	await Promise.race([clients, until("100 more replies", () => replies > enough)]);
	isStopped = true;
	await within("the clients to end", clients);
	await node.stop();
});

test("a passed descriptor that cannot be used is refused in one sentence", async (context) => {
	const DATABASE_URL = temporaryStore(context);
	for (const descriptor of ["3</dev/null", "3<&-"]) {
		const under = ["bash", "-c", `LISTEN_FDS=1 LISTEN_PID=$$ exec "$@" ${descriptor}`, "-"];
		const said = /^animal-store: systemd passed no socket that can listen \(\w+\): fix the socket unit\n$/;
		await startRefused({ DATABASE_URL }, said, { under });
	}
});
