// CORS for pages of other origins, and the isolation of the service's own pages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertFailure, testService } from "./service.ts";

test("pages of the origins in CORS_ORIGINS may call, and no others", async (context) => {
	const { send } = await testService(context, { environment: { CORS_ORIGINS: "https://a.example,https://b.example" } });
	const asked = { "Access-Control-Request-Method": "POST", Authorization: undefined };
	const preflight = await send({
		method: "OPTIONS",
		path: "/v1/pets",
		headers: { ...asked, Origin: "https://b.example" },
	});
	assert.equal(preflight.status, 204);
	assert.equal(preflight.headers["access-control-allow-methods"], "GET, HEAD, POST");
	assert.match(preflight.headers["x-request-id"] ?? "", /./);
	assert.equal(preflight.headers["x-content-type-options"], "nosniff");
	assert.match(preflight.headers["content-security-policy"] ?? "", /default-src 'none'/);
	assert.match(preflight.headers["vary"] ?? "", /Origin/);
	assert.equal(preflight.headers["access-control-allow-origin"], "https://b.example");
	assert.match(
		preflight.headers["access-control-allow-headers"] ?? "",
		/Authorization.*Idempotency-Key.*traceparent, tracestate, baggage/,
	);
	const reply = await send({ path: "/v1/pets", headers: { Origin: "https://a.example" } });
	assert.equal(reply.headers["access-control-allow-origin"], "https://a.example");
	assert.match(reply.headers["access-control-expose-headers"] ?? "", /\bLink\b.*\bWWW-Authenticate\b/);
	assert.match(reply.headers["vary"] ?? "", /Origin/);
	const foreign = await send({ path: "/v1/pets", headers: { Origin: "https://evil.example" } });
	assert.equal(foreign.headers["access-control-allow-origin"], undefined);
	assertFailure(
		await send({ method: "OPTIONS", path: "/v1/pets", headers: { ...asked, Origin: "https://evil.example" } }),
		"missing_credential",
	);
	const { send: sendPlain } = await testService(context);
	assertFailure(
		await sendPlain({ method: "OPTIONS", path: "/v1/pets", headers: { ...asked, Origin: "https://a.example" } }),
		"missing_credential",
	);
});

test("the OpenAPI document may be read by every page", async (context) => {
	for (const environment of [{ CORS_ORIGINS: "" }, { CORS_ORIGINS: "https://a.example" }]) {
		const { send } = await testService(context, { environment });
		for (const Origin of [undefined, "https://a.example", "https://other.example"]) {
			const { status, headers } = await send({ path: "/openapi.json", headers: { Origin } });
			assert.deepEqual([status, headers["access-control-allow-origin"]], [200, "*"]);
		}
		const { headers } = await send({ path: "/livez", headers: { Origin: "https://other.example" } });
		assert.equal(headers["access-control-allow-origin"], undefined);
	}
});

test("pages are isolated from windows and pages of other sites, and from the device's sensors", async (context) => {
	const { send } = await testService(context);
	for (const path of ["/console", "/docs", "/docs/send.js"]) {
		const { status, headers } = await send({ path, headers: { Authorization: undefined } });
		assert.equal(status, 200, path);
		assert.equal(headers["cross-origin-opener-policy"], "same-origin", path);
		assert.equal(headers["cross-origin-resource-policy"], "same-origin", path);
		assert.match(headers["permissions-policy"] ?? "", /camera=\(\).*microphone=\(\)/, path);
	}
});
