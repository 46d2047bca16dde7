// What operators learn of each reply: one log line and one count, also of requests that are refused before the app.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { create, type TestService, testService } from "./service.ts";
import { until } from "./until.ts";
import { exchange, type Reply } from "./wire.ts";

/** The log line of a reply, found by its X-Request-Id. */
function lineOf({ log }: TestService, reply: Reply): Promise<Record<string, unknown>> {
	const id = reply.headers["x-request-id"];
	return until("the reply's log line", () => log.find(({ requestId }) => requestId === id));
}

/** Replies to one operation with one status, as the metrics count them. */
async function countOf({ opsUrl }: TestService, operation: string, status: number): Promise<number> {
	const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
	const name = `animal_store_request_duration_seconds_count{operation="${operation}",status="${status}"}`;
	return Number(
		metrics
			.split("\n")
			.find((line) => line.startsWith(name))
			?.slice(name.length) ?? 0,
	);
}

test("each reply has a log line with its operation, status, key and duration in milliseconds, and is counted", async (context) => {
	const service = await testService(context);
	const rows = [
		[create({ name: "a", categoryId: 1 }), "createPet", 201],
		[{ path: "/v1/pets" }, "listPets", 200],
		[{ path: "/v1/pets/7" }, "getPet", 404],
		[{ path: "/livez", headers: { Authorization: undefined } }, "none", 200],
	] as const;
	for (const [request, operation, status] of rows) {
		const startedAt = performance.now();
		const reply = await service.send(request);
		const { durationMs, keyId, ...line } = await lineOf(service, reply);
		assert.ok(Number(durationMs) > 0 && Number(durationMs) <= performance.now() - startedAt, `${durationMs}`);
		assert.deepEqual([line["operation"], line["status"], line["msg"]], [operation, status, "request"]);
		assert.equal(typeof keyId, operation === "none" ? "undefined" : "string");
		assert.equal(await countOf(service, operation, status), 1);
	}
});

test("a request that the parser or the framing rules refuse is logged and counted once", async (context) => {
	const service = await testService(context);
	const rows = [
		["no HTTP\r\n\r\n", 400, "malformed_request"],
		["GET /v1/pets HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "malformed_request"],
		[`GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414, "uri_too_long"],
	] as const;
	let count = 0;
	for (const [bytes, status, code] of rows) {
		const [reply] = await exchange(service.port, bytes);
		assert.equal(reply?.status, status);
		const line = await lineOf(service, reply as Reply);
		assert.deepEqual([line["status"], line["code"], line["msg"]], [status, code, "request refused"]);
		if (status === 400) count++;
		assert.equal(await countOf(service, "none", 400), count);
	}
	assert.equal(await countOf(service, "none", 414), 1);
});

test("Strict-Transport-Security is on every reply behind https, and on none without", async (context) => {
	for (const [BASE_URL, expected] of [
		["https://api.example.com/v1", "max-age=31536000"],
		["http://api.example.com/v1", undefined],
		["", undefined],
	] as const) {
		const { send, port } = await testService(context, { environment: { BASE_URL } });
		const [refused] = await exchange(port, "no HTTP\r\n\r\n");
		for (const reply of [await send({ path: "/v1/pets" }), await send({ path: "/v1/none" }), refused])
			assert.equal(reply?.headers["strict-transport-security"], expected);
	}
});

test("on a terminal, the log line has the method and the path, without the query and without a key", async (context) => {
	const service = await testService(context, { isOnTerminal: true });
	for (const [path, shown] of [
		["/v1/pets?limit=1", "/v1/pets"],
		[`/v1/pets/${service.key}?x=${service.key}`, "/v1/pets/pets_…"],
	] as const) {
		const line = await lineOf(service, await service.send({ path }));
		assert.deepEqual([line["method"], line["path"]], ["GET", shown]);
		assert.doesNotMatch(JSON.stringify(line), new RegExp(service.key.slice(5)));
	}
});

test("an upload that the client breaks off is logged as refused", async (context) => {
	const service = await testService(context);
	const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\n`;
	const socket = connect(service.port, "127.0.0.1");
	context.after(() => socket.destroy());
	socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`);
	await once(socket, "data");
	socket.end('{"name":');
	const line = await until("the log line", () => service.log.find(({ status }) => status === 400));
	assert.equal(line["code"], "malformed_request");
});
