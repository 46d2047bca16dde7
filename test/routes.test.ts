// Methods and paths: each gets its reply, and every path with GET also supports HEAD and OPTIONS.

import assert from "node:assert/strict";
import { METHODS } from "node:http";
import { test } from "node:test";
import { assertFailure, create, testService } from "./service.ts";
import { exchange } from "./wire.ts";

const allowed = { "/v1/pets": "GET, POST, HEAD, OPTIONS", "/v1/pets/1": "GET, HEAD, OPTIONS" };

test("an unsupported method is 405 with the exact Allow, and its body is not read", async (context) => {
	const { send } = await testService(context);
	for (const [path, allow] of Object.entries(allowed)) {
		for (const method of METHODS) {
			if (allow.split(", ").includes(method) || method === "CONNECT") continue;
			const reply = await send({ method, path, headers: { "Content-Length": "5" }, body: "xxxxx" });
			assertFailure(reply, "method_not_allowed");
			assert.equal(reply.headers["allow"], allow, method);
		}
	}
	for (const path of ["/livez", "/readyz", "/openapi.json"]) {
		assertFailure(
			await send({ method: "POST", path, headers: { Authorization: undefined }, body: "{}" }),
			"method_not_allowed",
		);
	}
});

test("OPTIONS ignores a body of any type, also one whose type is not well-formed", async (context) => {
	const { send, port, key } = await testService(context);
	for (const type of ["application/json", "application/json/x; charset=utf-8", "no type", ""]) {
		const reply = await send({ method: "OPTIONS", path: "/v1/pets", headers: { "Content-Type": type }, body: "{}" });
		assert.deepEqual([reply.status, reply.headers["allow"]], [204, allowed["/v1/pets"]], type);
	}
	const url = `http://127.0.0.1:${port}/v1/pets`;
	const headers = { Authorization: `Bearer ${key}`, "Content-Type": "a/b/c" };
	for (let turn = 0; turn < 3; turn++)
		assert.equal((await fetch(url, { method: "OPTIONS", headers, body: "x".repeat(40_000) })).status, 204);
});

test("OPTIONS answers 204 with the methods of a path", async (context) => {
	const { send } = await testService(context);
	for (const [path, allow] of Object.entries(allowed)) {
		const reply = await send({ method: "OPTIONS", path });
		assert.deepEqual([reply.status, reply.headers["allow"], reply.body], [204, allow, ""]);
	}
	assertFailure(await send({ method: "OPTIONS", path: "/v1/nothing" }), "route_not_found");
	assertFailure(
		await send({ method: "OPTIONS", path: "/v1/pets", headers: { Authorization: undefined } }),
		"missing_credential",
	);
	assert.ok((await send({ method: "OPTIONS", path: "*" })).status < 500);
});

test("HEAD answers like GET, without the body", async (context) => {
	const { send } = await testService(context);
	await send(create({ name: "Rex", categoryId: 1 }));
	for (const path of ["/v1/pets", "/v1/pets/1", "/v1/pets/2", "/v1/pets?limit=0", "/livez", "/openapi.json"]) {
		const get = await send({ path });
		const head = await send({ method: "HEAD", path });
		for (const reply of [get, head]) {
			delete reply.headers["date"];
			delete reply.headers["x-request-id"];
		}
		assert.deepEqual({ ...head, body: get.body }, get, path);
		assert.equal(head.body, "");
	}
});

test("a path that does not match exactly is 404, and needs a key below /v1", async (context) => {
	const { send } = await testService(context);
	for (const path of [
		"/v1",
		"/v1/",
		"/v1/Pets",
		"/v1/pets/",
		"/v1//pets",
		"/v1/pets/1/x",
		"/v1/pets/1/",
		"/v1/x/%2e%2e/pets",
		"/v1/./pets",
		"/v1/%FF",
		"/v1/orders",
	]) {
		assertFailure(await send({ path }), path === "/v1/pets/" ? "pet_not_found" : "route_not_found");
		assertFailure(await send({ path, headers: { Authorization: undefined } }), "missing_credential");
	}
	for (const path of ["//pets", "//v1/pets", "/pets", "/V1/pets", "/v2/pets", "/v1x", "/%", "/metrics"]) {
		assertFailure(await send({ path, headers: { Authorization: undefined } }), "route_not_found");
	}
});

test("a petId that is not the canonical decimal form of an int64 is 404", async (context) => {
	const { send } = await testService(context);
	await send(create({ name: "Rex", categoryId: 1 }));
	const names = [
		"abc",
		"1.0",
		"1e0",
		"+1",
		"01",
		"-0",
		"0x1",
		"%D9%A3",
		"9223372036854775808",
		"-9223372036854775809",
		"9".repeat(10_000),
		"1%2F2",
		"1%00",
		"%FF",
		"%",
		"%zz",
		"__proto__",
		"%20",
		"1%20",
		"0",
		"-1",
		"2",
		"9223372036854775807",
		"-9223372036854775808",
	];
	for (const name of names) assertFailure(await send({ path: `/v1/pets/${name}` }), "pet_not_found");
	assertFailure(await send({ path: "/v1/pets/1?x=1" }), "unknown_parameter");
	for (const name of ["1", "%31"]) {
		assert.deepEqual(JSON.parse((await send({ path: `/v1/pets/${name}` })).body), {
			id: 1,
			name: "Rex",
			categoryId: 1,
		});
	}
});

test("an absolute-form target is served and its host ignored; HTTP/1.0 is served", async (context) => {
	const { key, port } = await testService(context);
	const good = `Authorization: Bearer ${key}\r\nConnection: close\r\n\r\n`;
	for (const start of [
		"GET http://elsewhere.example/v1/pets HTTP/1.1\r\nHost: a\r\n",
		"GET HTTPS://elsewhere.example:1/v1/pets HTTP/1.1\r\nHost: a\r\n",
		"GET /v1/pets HTTP/1.0\r\n",
	]) {
		const [reply] = await exchange(port, start + good);
		assert.equal(reply?.status, 200, start);
		assert.doesNotMatch(reply?.headers["link"] ?? "", /elsewhere/);
	}
});

test("CONNECT is refused and the connection closed", async (context) => {
	const { port, key } = await testService(context);
	const get = `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
	const bytes = "CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n";
	for (const before of [[], [200], [200, 200, 200]]) {
		const replies = await exchange(port, get.repeat(before.length) + bytes);
		const reply = replies.pop();
		assert.ok(reply);
		assertFailure(reply, "method_not_allowed");
		assert.equal(reply.headers["connection"], "close");
		assert.deepEqual(
			replies.map(({ status }) => status),
			before,
			"it is answered in its turn",
		);
	}
});
