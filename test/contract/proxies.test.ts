// Behind a proxy: log lines about forwarded headers, and the peers that are trusted. test/contract/corpus has the
// replies: `proxies` behind a trusted proxy, `spoofed` and `base-url` if the headers are ignored. Real proxies: `npm
// run prove -- --only proxies`.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { test } from "node:test";
import { ask } from "../support/caller.ts";
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

/** The Link header of a request from another address of this machine. */
async function linkFor({ url, key }: TestService, localAddress: string): Promise<string> {
	const headers = { "x-forwarded-proto": "https" };
	const reply = await ask(`${url}/v1/pets`, { key, headers, agent: new Agent({ localAddress }) });
	return String(reply.headers["link"]);
}

// Only Linux has all of 127.0.0.0/8 without configuration.
const onLinux = { skip: process.platform !== "linux" };
test("each peer is trusted by its own address, also after the hint", onLinux, async (context) => {
	const service = await testService(context, { environment: { TRUST_PROXY: "127.0.0.2" } });
	for (const [address, scheme] of Object.entries({ "127.0.0.1": "http", "127.0.0.2": "https", "127.0.0.3": "http" }))
		assert.ok((await linkFor(service, address)).startsWith(`<${scheme}://`), address);
	assert.match(await linkFor(service, "127.0.0.2"), /^<https:/);
});
