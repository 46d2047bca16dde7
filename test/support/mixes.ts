// The requests that the pool (pool.ts) sends around those of a test, like other callers behind the same proxy, and the
// check that each reply belongs to its request. They do not change the store.

import assert from "node:assert/strict";
import type { TestRequest } from "./pool.ts";
import type { Reply } from "./wire.ts";

export interface Mix extends TestRequest {
	/** The status of its reply, unless the store is unavailable or the rate is exceeded. */
	status: number;
}

/** An origin that services with mixes allow. */
export const mixedOrigin = "https://mixed.example";
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const icon = "/docs/mark.svg";

/** @param key a read-only key @param hasOrigin whether the service allows the origin */
export function createMixes(key: string, hasOrigin: boolean): Mix[] {
	const somewhere = { Host: "mixed.example:81" };
	const reader = { ...somewhere, Authorization: `Bearer ${key}` };
	const nobody = { ...somewhere, Authorization: undefined };
	const wrong = { ...somewhere, Authorization: "Bearer wrong" };
	const page = hasOrigin && { Origin: mixedOrigin };
	const gzip = { "Accept-Encoding": "gzip" };
	const preflight = { ...nobody, ...page, "Access-Control-Request-Method": "POST" };
	const body = '{"name":"mixed","categoryId":1}';
	return [
		{ path: "/v1/pets", headers: wrong, status: 401 },
		{ method: "HEAD", path: "/v1/pets", headers: { ...reader, ...gzip, ...page }, status: 200 },
		{ method: "POST", path: "/v1/pets", headers: { ...reader, "Idempotency-Key": "mixed" }, body, status: 403 },
		{ path: icon, headers: { ...nobody, "If-None-Match": "*", Origin: "https://other.example" }, status: 304 },
		{ path: "/v1/nothing", headers: reader, status: 404 },
		{ path: "/v1/pets", headers: { ...nobody, traceparent }, status: 401 },
		{ method: "HEAD", path: icon, headers: { ...nobody, ...gzip }, status: 200 },
		{ method: "DELETE", path: "/v1/pets", headers: { ...reader, "If-None-Match": "*" }, status: 405 },
		{ path: "/v1/pets?limit=1", headers: { ...reader, ...page }, status: 200 },
		{ method: "OPTIONS", path: "/v1/pets", headers: preflight, status: hasOrigin ? 204 : 401 },
		{ path: icon, headers: nobody, status: 200 },
	];
}

/** The part of a header that only mixes send and get back. */
const mixed = (field = "") => /mixed-\d+|https:\/\/mixed\.example|0af7651916cd43dd8448eb211c80319c/.exec(field)?.[0];

/** Whether a log line is about a mix. */
export const isOfMix = (line: string) => line.includes('"requestId":"mixed-');

/**
 * Asserts that nothing in the reply belongs to another request of its connection.
 * @param linksToHost whether the addresses in replies are made from the request's Host
 */
export function assertAlone(request: TestRequest | Mix, reply: Reply, linksToHost: boolean): void {
	const { path, headers = {} } = request;
	const sent = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
	const got = reply.headers;
	const shown = `${path.slice(0, 80)} ${JSON.stringify(headers)} got ${reply.status} ${JSON.stringify(got)}`;
	if ("status" in request) assert.ok([request.status, 429, 503].includes(reply.status), shown);
	if (!sent.get("accept-encoding")) assert.equal(got["content-encoding"], undefined, shown);
	else if (path === icon) assert.equal(got["content-encoding"], "gzip", shown);
	assert.equal(mixed(got["access-control-allow-origin"]), mixed(sent.get("origin")), shown);
	assert.equal(mixed(got["traceparent"]), mixed(sent.get("traceparent")), shown);
	assert.equal(mixed(got["x-request-id"]), mixed(sent.get("x-request-id")), shown);
	if (reply.status === 304) assert.ok(sent.get("if-none-match"), shown);
	if (got["idempotency-replayed"]) assert.ok(sent.get("idempotency-key"), shown);
	if (reply.status === 401) {
		const isMissing = (sent.get("authorization") ?? "").trim() === "";
		assert.equal(reply.headers["www-authenticate"]?.includes("invalid_token"), !isMissing, shown);
	}
	if (!linksToHost) return;
	for (const [, host] of `${got["link"]} ${got["location"]}`.matchAll(/\bhttps?:\/\/([^/]+)/g))
		assert.equal(host, sent.get("host"), shown);
}
