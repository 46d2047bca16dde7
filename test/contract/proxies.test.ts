// Log lines about forwarded headers. test/contract/corpus has the replies: `proxies` behind a trusted proxy, `spoofed`
// and `base-url` if the headers are ignored. `npm run prove -- --only proxies` uses real proxies.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type TestService, testService } from "../support/service.ts";

const warningsIn = ({ log }: TestService) =>
	log.filter(({ level, msg }) => level === "warn" && !String(msg).startsWith("created a new store"));

test("a reachable service warns once at its start if links cannot know a proxy's scheme", async (context) => {
	const rows: [environment: Record<string, string>, warnings: number][] = [
		[{ HOST: "0.0.0.0" }, 1],
		[{ HOST: "0.0.0.0", BASE_URL: "http://pets.example" }, 0],
		[{ HOST: "0.0.0.0", TRUST_PROXY: "10.0.0.1" }, 0],
		[{ HOST: "localhost" }, 0],
	];
	for (const [environment, warnings] of rows) {
		const said = warningsIn(await testService(context, { environment }));
		assert.equal(said.length, warnings, JSON.stringify(environment));
		for (const { msg } of said) assert.match(String(msg), /^links .* http:\/\/.*: set BASE_URL, or TRUST_PROXY to /);
	}
});

test("the first forwarded header that is ignored logs one hint with the peer and the setting", async (context) => {
	const rows: [environment: Record<string, string>, hints: number][] = [
		[{}, 1],
		[{ TRUST_PROXY: "192.0.2.1" }, 1],
		[{ TRUST_PROXY: "loopback" }, 0],
		[{ BASE_URL: "https://pets.example" }, 0],
	];
	for (const [environment, hints] of rows) {
		const service = await testService(context, { environment });
		await service.send({ path: "/v1/pets" });
		assert.deepEqual(warningsIn(service), []);
		for (let count = 0; count < 3; count++)
			await service.send({ path: "/v1/pets", headers: { "X-Forwarded-For": "192.0.2.1" } });
		const said = warningsIn(service);
		assert.equal(said.length, hints, JSON.stringify(environment));
		for (const { msg, peer } of said) {
			assert.match(String(msg), /this peer are ignored: .* add its address to TRUST_PROXY .*BASE_URL$/);
			assert.equal(peer, "127.0.0.1");
		}
	}
});
