// The operators' port: health and metrics. It uses the same HTTP server as the public port, whose replies to malformed
// requests are in test/contract/corpus.

import assert from "node:assert/strict";
import { test } from "node:test";
import { createOpsChecks } from "../../src/http/checks.ts";
import type { Exchange, Route } from "../../src/http/exchange.ts";

import { ask } from "../support/caller.ts";
import { figureOf } from "../support/scrape.ts";
import { assertFailure, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { exchange } from "../support/wire.ts";

const paths = ["/livez", "/readyz", "/metrics"];
const methods = "GET, HEAD, OPTIONS";

test("each path answers GET and HEAD; others are 405 or 404; all are logged and counted", async (context) => {
	const service = await testService(context, { mixes: false });
	const { opsUrl } = service;
	const countOf = (labels: Record<string, string>) =>
		figureOf(service, "animal_store_request_duration_seconds_count", labels);
	for (const path of paths) {
		const get = await ask(opsUrl + path);
		const head = await ask(opsUrl + path, { method: "HEAD" });
		assert.deepEqual([get.status, head.status, head.body], [200, 200, ""], path);
		if (path !== "/metrics") assert.equal(get.body, '{"status":"ok","writes":"working"}');
		else assert.equal(get.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8");
		assert.equal(get.headers["cache-control"], path === "/metrics" ? "no-store" : "no-cache");
		const id = get.headers["x-request-id"];
		await until("the log line", () => service.log.find(({ requestId }) => requestId === id));
		assert.ok((await countOf({ operation: path === "/metrics" ? "metrics" : "probe" })) > 0, path);
		assert.equal(head.headers["content-type"], get.headers["content-type"]);
		assert.match(head.headers["content-length"] ?? "", /^[1-9]\d*$/);
		const other = await ask(opsUrl + path, { method: "POST" });
		assertFailure(other, "method_not_allowed");
		const { status, headers } = await ask(opsUrl + path, { method: "OPTIONS" });
		assert.deepEqual([other.headers["allow"], status, headers["allow"]], [methods, 204, methods]);
	}
	for (const path of ["/", "/v1/pets", "/metrics/"]) assertFailure(await ask(opsUrl + path), "route_not_found");
	const unknown = { operation: "unknown", status: "404" };
	await until("the 404s to be counted", async () => (await countOf(unknown)) === 3);
});

test("a Host that a web page could point at this port is refused (DNS rebinding)", async (context) => {
	const { opsUrl } = await testService(context);
	const { port } = new URL(opsUrl);
	const askAs = (host: string, path = "/livez") => ask(opsUrl + path, { headers: { host } });
	for (const path of paths) assertFailure(await askAs("evil.example", path), "malformed_request");
	for (const host of [`rebound.evil.example:${port}`, "127.0.0.1.evil.example", "localhost.evil.example"])
		assertFailure(await askAs(host), "malformed_request");
	for (const host of ["127.0.0.1", "10.1.2.3:9464", "[::1]", "[fe80::1]:9464", `LOCALHOST:${port}`, "node-1"])
		assert.equal((await askAs(host)).status, 200, host);
	const [ownName] = createOpsChecks("Node1.Example.com");
	const checked = (host: string) => ownName?.({ request: { headers: { host } } } as Exchange, {} as Route);
	for (const host of ["Node1.Example.com", "node1.example.com:9464"]) assert.equal(checked(host), undefined, host);
	assert.throws(() => checked("node2.example.com"), { code: "malformed_request" });
	const [old] = await exchange(Number(port), "GET /livez HTTP/1.0\r\n\r\n");
	assert.equal(old?.status, 200, "a load balancer's check with HTTP/1.0 needs no Host");
});
