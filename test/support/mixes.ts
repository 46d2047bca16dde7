// The requests that the pool (pool.ts) sends around those of a test, as other callers behind the same proxy would, and what each
// reply shows of the request that it answers. They change nothing in the store.

import assert from "node:assert/strict";
import type { TestRequest } from "./pool.ts";
import type { Reply } from "./wire.ts";

export interface Mix extends TestRequest {
	/** What it gets, unless the store is away or rates are low. */
	status: number;
}

/** Services with mixes may be called by pages of it. */
export const mixedOrigin = "https://mixed.example";
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const icon = "/docs/mark.svg";

/**
 * @param key one that may read only
 * @param hasOrigin whether the service knows the origin
 */
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

/** What only mixes send and get back, if it is in a header. */
const mixed = (field = "") => /mixed-\d+|https:\/\/mixed\.example|0af7651916cd43dd8448eb211c80319c/.exec(field)?.[0];

/** Whether a line of the log is about a mix. */
export const isOfMix = (line: string) => line.includes('"requestId":"mixed-');

/**
 * Nothing in the reply is of another request of its connection.
 * @param linksToHost whether the addresses in it are made from the request's Host
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
