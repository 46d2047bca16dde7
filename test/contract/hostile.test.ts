// Slow, greedy or numerous clients do not affect other clients: the others get replies, and memory stays bounded.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { attacks, endure, victim } from "../proofs/overload/fairness.ts";
import { pick, seed, seededRandom } from "../support/random.ts";
import { assertNoErrors, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { createHead } from "../support/wire.ts";

test("beside each attack, another client is answered, and memory stays bounded", async (context) => {
	const target = await victim(context);
	for (const [name, attack] of Object.entries(attacks)) {
		context.diagnostic(name);
		await endure(context, target, attack, 30);
	}
});

test("however a connection ends, whatever was sent, the service works and nothing is left", async (context) => {
	const timeouts = { headersMs: 300, requestMs: 500, keepAliveMs: 300, stalledMs: 600 };
	const service = await testService(context, { mixes: false, timeouts, environment: { CONNECTIONS_PER_ADDRESS: "0" } });
	const get = "GET /v1/pets HTTP/1.1\r\nHost: a\r\n";
	const post = createHead(service.key);
	const body = '{"name":"a",\r\n\r\n"categoryId":1}';
	const parts = [
		...[`${get}\r\n`, `${get}Connection: close\r\n\r\n`, `${get}Connection: upgrade\r\nUpgrade: h2c\r\n\r\n`],
		`${get}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
		`${post}Content-Length: ${body.length}\r\n\r\n${body}`,
		`${post}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
		`${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
		...[`${post}Content-Length: 100\r\n\r\n{"na`, "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"],
		...["CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "garbage\r\n\r\n", "\r\n\r\n", "GET /half"],
	];
	const random = seededRandom(seed);
	const endings = ["resetAndDestroy", "destroy", "end", "resume", "pause"] as const;
	async function visit(): Promise<void> {
		const socket = connect({ port: service.port, host: "127.0.0.1", allowHalfOpen: true });
		const closed = new Promise((resolve) => socket.on("close", resolve));
		socket.on("error", () => {}).on("end", () => socket.destroy());
		const ending = pick(endings, random);
		if (ending !== "pause") socket.resume();
		const bytes = Array.from({ length: 1 + Math.floor(random() * 10) }, () => pick(parts, random)).join("");
		const size = pick([7, 70, 700, 7000], random);
		for (let at = 0; at < bytes.length && socket.writable; at += size) {
			socket.write(bytes.slice(at, at + size));
			if (random() < 0.1) await new Promise((resolve) => setImmediate(resolve));
		}
		socket[ending]();
		// The service closes the connection, but a client that does not read notices only later.
		if (ending === "pause") await until("the close", () => socket.resume().destroyed, { everyMs: 1000 });
		await closed;
	}
	for (let round = 0; round < 2; round++) await Promise.all(Array.from({ length: 150 }, visit));
	assertNoErrors(service);
	assert.equal((await service.send({ path: "/livez" })).status, 200);
});
