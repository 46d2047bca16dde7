// Each reply has one log line and is counted once, even if the request is refused before it reaches the application.
// Forwarded headers that are ignored are logged, too.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type FoundPet, StorageUnavailable } from "../../src/store/store.ts";
import { posting, type TestRequest } from "../support/pool.ts";
import { figureOf } from "../support/scrape.ts";
import { assertNoErrors, create, type TestService, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { Connection, createHead, exchange, fillKernel, type Reply } from "../support/wire.ts";

function lineOf({ log }: TestService, reply: Reply): Promise<Record<string, unknown>> {
	const id = reply.headers["x-request-id"];
	return until("the reply's log line", () => log.find(({ requestId }) => requestId === id));
}

const warningsIn = ({ log }: TestService) =>
	log.filter(({ level, msg }) => level === "warn" && !String(msg).startsWith("created a new store"));

/** The number of replies with this status to an operation, according to the metrics. */
const countOf = (service: TestService, operation: string, status: number) =>
	figureOf(service, "animal_store_request_duration_seconds_count", { operation, status: String(status) });

test("each reply has a log line with its route, status, bytes, key and duration, and is counted", async (context) => {
	const service = await testService(context, { mixes: false });
	const edit = { id: 1, action: "remove", seen: { name: "a" } };
	const { mock } = context.mock.method(service.store.keys, "touch");
	const rows: [TestRequest, operation: string, route: string | undefined, status: number][] = [
		[create({ name: "a", categoryId: 1 }), "createPet", "/v1/pets", 201],
		[{ path: "/v1/pets" }, "listPets", "/v1/pets", 200],
		[{ method: "HEAD", path: "/v1/pets?limit=0" }, "listPets", "/v1/pets", 400],
		[{ path: "/v1/pets/7" }, "getPet", "/v1/pets/:petId", 404],
		[{ path: "/livez", headers: { Authorization: undefined } }, "probe", "/livez", 200],
		[{ path: "/openapi.json", headers: { Authorization: undefined } }, "page", "/openapi.json", 200],
		[posting("/console/edits")({ edits: [edit] }), "console", "/console/edits", 200],
		[posting("/console/imports")({ rows: [{}] }), "import", "/console/imports", 200],
		[{ path: "/v1/none" }, "unknown", undefined, 404],
	];
	for (const [request, operation, route, status] of rows) {
		const startedAt = performance.now();
		const reply = await service.send(request);
		const { durationMs, keyId, time, level, ...line } = await lineOf(service, reply);
		const fields = ["http.request.method", "http.route", "http.response.status_code", "http.response.body.size", "msg"];
		const found = fields.map((field) => line[field]);
		const size = request.method === "HEAD" ? undefined : Buffer.byteLength(reply.body);
		assert.ok(Number(durationMs) > 0 && Number(durationMs) <= performance.now() - startedAt, `${durationMs}`);
		assert.deepEqual(found, [request.method ?? "GET", route, status, size, "request"]);
		assert.match(String(keyId), /probe|page/.test(operation) ? /^undefined$/ : /^key_/);
		assert.match(`${level} ${time}`, /^info \d{4}-\d\d-\d\dT/);
		assert.equal(await countOf(service, operation, status), 1);
		const labels = { operation, status: String(status) };
		const seconds = await figureOf(service, "animal_store_request_duration_seconds_sum", labels);
		assert.equal(Math.round(seconds * 1e6) / 1000, durationMs);
	}
	await service.stop(0);
	const used = mock.calls.flatMap(({ arguments: [uses] }) => uses.map(({ operation }) => operation));
	assert.deepEqual([...new Set(used)].sort(), ["createPet", "getPet", "listPets"], "uses of the key are kept");
});

test("a request that the parser or the framing rules refuse is logged and counted once", async (context) => {
	const service = await testService(context);
	const rows = [
		["no HTTP\r\n\r\n", 400, "malformed_request", 1],
		["GET /v1/pets HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "malformed_request", 2],
		[`GET /${"a".repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414, "uri_too_long", 1],
	] as const;
	for (const [bytes, status, code, count] of rows) {
		const [reply] = await exchange(service.port, bytes);
		assert.equal(reply?.status, status);
		const line = await lineOf(service, reply as Reply);
		assert.deepEqual([line["http.response.status_code"], line["error.type"], line["msg"]], [status, code, "request"]);
		assert.equal(await countOf(service, "unknown", status), count);
	}
});

test("on a terminal, a log line has method and path, without query and key", async (context) => {
	const service = await testService(context, { isOnTerminal: true });
	for (const [path, shown] of [
		["/v1/pets?limit=1", "/v1/pets"],
		[`/v1/pets/${service.key}?x=${service.key}`, "/v1/pets/pets_…"],
		[`/v1/${service.key}/${service.key}`, "/v1/pets_…/pets_…"],
	] as const) {
		const line = await lineOf(service, await service.send({ path }));
		assert.deepEqual([line["http.request.method"], line["url.path"]], ["GET", shown]);
		assert.doesNotMatch(JSON.stringify(line), new RegExp(service.key.slice(5)));
	}
});

test("a client that leaves before the reply is one short line with level info, counted as 499", async (context) => {
	const service = await testService(context);
	const upload = new Connection(service.port);
	const headers = `traceparent: 00-${"a".repeat(32)}-${"b".repeat(16)}-01\r\nExpect: 100-continue\r\n`;
	upload.socket.write(createHead(service.key, `${headers}Content-Length: 100\r\n\r\n`));
	await upload.next();
	upload.socket.write('{"name":');
	upload.socket.resetAndDestroy();
	const line = await until("the log line", () => service.log.find((entry) => entry["error.type"] === "client_abort"));
	const { level, trace_id: traceId } = line;
	assert.deepEqual([level, line["http.response.status_code"], traceId], ["info", 499, "a".repeat(32)]);
	assert.equal(await countOf(service, "createPet", 499), 1);
	assert.equal(await figureOf(service, "animal_store_refusals_total", { reason: "client_abort" }), 1);
	assert.ok(JSON.stringify(line).length < 300, JSON.stringify(line));

	const held = Promise.withResolvers<FoundPet>();
	const { mock } = context.mock.method(service.store, "getPet", () => held.promise);
	const pipeline = new Connection(service.port);
	const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
	pipeline.socket.write(head("/v1/pets/1") + head("/v1/none"));
	await until("the first request to be handled, and so the second one refused", () => mock.callCount() === 1);
	await new Promise(setImmediate);
	pipeline.socket.resetAndDestroy();
	const statuses = () =>
		service.log.map((entry) => Number(entry["http.response.status_code"] ?? 0)).filter((status) => status > 200);
	await until("both log lines", () => statuses().length === 3);
	assert.deepEqual(statuses(), [499, 499, 499], "a refusal that was not sent, too");
	held.resolve({ json: undefined, version: await service.store.version() });
	assertNoErrors(service);
	assert.ok(warningsIn(service).every(({ msg }) => String(msg).startsWith("links in replies")));
});

test("if a client stops reading, replies that it can read whole count as sent, others as 499", async (context) => {
	const service = await testService(context, { mixes: false, timeouts: { stalledMs: 300 } });
	const client = new Connection(service.port);
	const page = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";
	await fillKernel(service, client.socket, page);
	client.socket.write(page.repeat(20));
	// On a busy machine, the short time-out also ends the connection that reads the figures.
	const unlessReset = (error: NodeJS.ErrnoException) => {
		if (error.code !== "ECONNRESET") throw error;
		return undefined;
	};
	const counted = (status: number) => until("the figures", () => countOf(service, "page", status).catch(unlessReset));
	const linesOf = (status: number) => service.log.filter((line) => line["http.response.status_code"] === status).length;
	await until("the connection to be cut", () => linesOf(499) > 0 && service.traffic().connections === 0);
	client.socket.resume();
	let whole = 0;
	for (let reply = await client.next(); reply; reply = await client.next())
		if (Number(reply.headers["content-length"]) === Buffer.byteLength(reply.body)) whole++;
	assert.deepEqual([linesOf(200), await counted(200)], [whole, whole]);
	assert.equal(await counted(499), linesOf(499));
	const cut = service.log.filter((line) => line["http.response.status_code"] === 499);
	assert.ok(cut.every((line) => line["http.response.body.size"] === undefined));
});

test("refusals for overload close connections, share a log line per second, and are counted", async (context) => {
	const service = await testService(context, { loadLimits: { delayMs: -1000, ownShare: 0 }, mixes: false });
	async function isShed(): Promise<boolean> {
		const { status, headers } = await service.send({ path: "/v1/pets" });
		assert.equal(headers["connection"], status === 503 ? "close" : "keep-alive");
		return status === 503;
	}
	await until("the service to be overloaded", isShed);
	for (let index = 0; index < 5; index++) assert.ok(await isShed());
	assert.equal((await service.send({ path: "/livez" })).status, 200, "open paths are served");
	const lines = () => service.log.filter((entry) => entry["error.type"] === "overloaded");
	const counted = () => lines().reduce((sum, { count }) => sum + Number(count), 0);
	await until("the line", () => counted() === 6);
	assert.ok(lines().length < 6);
	for (const line of lines()) {
		assert.equal(line["level"], "warn");
		assert.ok(JSON.stringify(line).length < 300);
	}
	assert.equal(await figureOf(service, "animal_store_refusals_total", { reason: "overloaded" }), 6);
	assert.ok(await isShed());
	await service.stop(0);
	assert.equal(counted(), 7, "a stop logs the latest, too");
	assertNoErrors(service);
});

test("the log line of a 500 has URL, route, ids and stack, and neither the body nor a key", async (context) => {
	const service = await testService(context, { mixes: false });
	service.store.listPets = () => Promise.reject(new Error("broken for the test"));
	service.store.createPet = () => Promise.reject(new Error("broken for the test"));
	service.store.findPets = () => Promise.reject(new Error("broken for the test"));
	const listed = await service.send({ path: `/v1/pets?limit=7&key=${service.key}` });
	assert.equal(listed.status, 400, "an unknown parameter");
	const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` };
	const path = "/v1/pets?limit=7&status=sold";
	const secret = create({ name: "a secret name", categoryId: 1 });
	const [pasted, shown] = [service.key, "pets_…"].map((name) => `/console/find?name=${name}`);
	for (const [request, expected] of [
		[{ path, headers: trace }, ["GET", path, "/v1/pets", "a".repeat(32), undefined, undefined]],
		[secret, ["POST", "/v1/pets", "/v1/pets", undefined, "39", "application/json"]],
		[{ path: pasted ?? "" }, ["GET", shown, "/console/find", undefined, undefined, undefined]],
	] as const) {
		const reply = await service.send(request);
		assert.equal(reply.status, 500);
		const id = reply.headers["x-request-id"];
		const line = service.log.find(({ level, requestId }) => level === "error" && requestId === id);
		const { url, err, "http.request.method": method, "http.route": route, trace_id: traceId } = line ?? {};
		const body = ["http.request.body.size", "http.request.header.content-type"].map((field) => line?.[field]);
		assert.deepEqual([method, url, route, traceId, ...body], expected);
		assert.match((err as { stack: string }).stack, /broken for the test\n.*reply-log\.test/);
	}
	service.store.listPets = () => Promise.reject(new StorageUnavailable("the disk is away"));
	await service.send({ path, headers: trace });
	const { cause, trace_id: traceId } = service.log.findLast(({ level }) => level === "error") ?? {};
	assert.deepEqual([cause, traceId], ["the disk is away", "a".repeat(32)], "also that of a 503");
	assert.doesNotMatch(JSON.stringify(service.log), /secret name/);
	assert.doesNotMatch(JSON.stringify(service.log), new RegExp(service.key.slice(5)));
});

test("the log hints at settings that a proxy needs", async (context) => {
	// A start warns because links cannot know the proxy's scheme, and the first header that is ignored logs a hint.
	const [proto, host] = [{ "X-Forwarded-Proto": "https" }, { "X-Forwarded-Host": "pets.example" }];
	const rows: [environment: Record<string, string>, headers: object, warnings: number, hints: number][] = [
		[{ HOST: "localhost" }, proto, 0, 1],
		[{ HOST: "0.0.0.0" }, host, 1, 1],
		[{ HOST: "0.0.0.0", BASE_URL: "https://pets.example" }, proto, 0, 0],
		[{ HOST: "0.0.0.0", TRUST_PROXY: "192.0.2.1" }, proto, 0, 1],
		[{ TRUST_PROXY: "loopback" }, host, 0, 0],
	];
	for (const [environment, headers, warnings, hints] of rows) {
		const service = await testService(context, { environment });
		await service.send({ path: "/v1/pets" });
		assert.equal(new URL(service.opsUrl).hostname, "127.0.0.1", "of OPS_HOST");
		const first = warningsIn(service);
		assert.equal(first.length, warnings, JSON.stringify(environment));
		for (const { msg } of first) assert.match(String(msg), /^links .* http:\/\/.*: set BASE_URL, or TRUST_PROXY to /);
		for (let count = 0; count < 3; count++) await service.send({ path: "/v1/pets", headers: { ...headers } });
		const said = warningsIn(service).slice(warnings);
		assert.equal(said.length, hints, JSON.stringify(environment));
		for (const { msg, peer } of said) {
			assert.match(String(msg), /this peer are ignored: .* add its address to TRUST_PROXY .*BASE_URL$/);
			assert.equal(peer, "127.0.0.1");
		}
	}
});
