// Keys of a running service: their rotation, their uses, and what they may do in the console. The replies to every kind
// of credential are in test/contract/corpus/credentials and targets.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Scope, scopes } from "../../src/contract/operations.ts";
import { createKey, revokeKey } from "../../src/keys/issue.ts";
import { ask as askAlone } from "../support/caller.ts";
import { read } from "../support/checkout.ts";
import { posting, type TestRequest } from "../support/pool.ts";
import { assertFailure, revoke, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { Connection, createHead, type Reply } from "../support/wire.ts";

test("a create whose key is revoked before its body arrives is refused", async (context) => {
	const service = await testService(context, { mixes: false });
	const now = performance.now.bind(performance);
	// With a row that was read again before the body arrives, and with one that must be read again then.
	const ways = [
		(key: { id: string; key: string }) => revoke(service, key),
		async ({ id }: { id: string }) => {
			await revokeKey(service.issuer, id);
			context.mock.method(performance, "now", () => now() + 1000);
		},
	];
	for (const revokeLate of ways) {
		const late = await createKey(service.issuer, { name: "late", scopes: ["pets:write"] });
		const connection = new Connection(service.port);
		connection.socket.write(createHead(late.key, "Content-Length: 27\r\n\r\n"));
		await until("the request", () => service.traffic().requestsInFlight === 1);
		await revokeLate(late);
		connection.socket.write('{"name":"a","categoryId":1}');
		assertFailure((await connection.next()) as Reply, "invalid_credential");
		connection.end();
	}
	assert.equal((await service.send({ path: "/v1/pets" })).body, "[]");
});

const seen = { name: "Rex" };

/** A valid request to each endpoint of the console, and the scope that it needs; undefined: any key may call it. */
const endpoints: [Scope | undefined, TestRequest][] = [
	[undefined, { path: "/console/key" }],
	["pets:read", { path: "/console/activity" }],
	["pets:read", { path: "/console/find" }],
	["pets:read", { path: "/console/categories" }],
	["pets:read", posting("/console/exports")({ format: "csv" })],
	["pets:write", posting("/console/imports")({ rows: [{ key: "a", name: "Rex", categoryId: 1 }] })],
	["pets:write", { path: "/console/imports/rows" }],
	["pets:edit", posting("/console/categories")({ categories: [{ name: "Dog" }] })],
	["pets:edit", posting("/console/edits")({ edits: [{ id: 1, action: "remove", seen }] })],
	["pets:read", { path: "/console/history?id=1" }],
	["pets:read", { path: "/console/changes" }],
];

/** The method and path of each endpoint in src/http/routes.ts. */
function declaredEndpoints(): string[] {
	const lines = [...read("src/http/routes.ts").matchAll(/\["(GET|POST)", "(\/console\/[^"]+)"/g)];
	return lines.map(([, method, path]) => `${method} ${path}`);
}

test("each endpoint of the console needs its scope, and no page of another origin calls one", async (context) => {
	const Origin = "https://shop.example";
	const service = await testService(context, { environment: { CORS_ORIGINS: Origin } });
	const { send, issuer } = service;
	const keyWith = async (...scopes: Scope[]) => (await createKey(issuer, { name: "a", scopes })).key;
	const assertClosed = ({ headers }: { headers: object }) =>
		assert.doesNotMatch(Object.keys(headers).join(), /access-control/);
	const tried = endpoints.map(([, { method = "GET", path }]) => `${method} ${path.split("?")[0]}`);
	assert.deepEqual(tried.sort(), declaredEndpoints().sort(), "every endpoint is in the table");
	for (const [scope, request] of endpoints) {
		const ask = (Authorization?: string) =>
			send({ ...request, headers: { ...request.headers, Origin, Authorization } });
		assertFailure(await ask(), "missing_credential");
		if (scope) {
			const refused = await ask(`Bearer ${await keyWith(...scopes.filter((one) => one !== scope))}`);
			assertFailure(refused, "insufficient_scope");
			assert.ok(refused.headers["www-authenticate"]?.includes(`scope="${scope}"`), scope);
			assertClosed(refused);
		}
		const { method = "GET", path, body } = request;
		const key = await keyWith(scope ?? "pets:write");
		const served = await askAlone(new URL(path, service.url), {
			...{ method, key, headers: { Origin } },
			...(body !== undefined && { body: String(body) }),
		});
		assert.equal(served.status, 200, served.body);
		const preflight = { Origin, "Access-Control-Request-Method": "POST", Authorization: undefined };
		for (const reply of [served, await send({ method: "OPTIONS", path: request.path, headers: preflight })])
			assertClosed(reply);
	}
	const [edit, ...others] = await service.store.edits.list(0n, 2);
	assert.deepEqual([edit?.action, others], ["remove", []], "only the edit with its scope is done");
	const covered = await send({ path: "/v1/pets", headers: { Origin } });
	assert.equal(covered.headers["access-control-allow-origin"], Origin, "the service has an allowed origin");
	assertFailure(await send({ path: "/v1/console/history?id=1" }), "route_not_found");
	assert.doesNotMatch((await send({ path: "/openapi.json" })).body, /pets:edit|\/console\/(edits|history)/);
});
