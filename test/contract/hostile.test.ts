// Slow, greedy or numerous clients do not affect other clients: the others get fast replies, and memory stays bounded.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { underWayMax } from "../../src/http/connection.ts";
import { ask } from "../support/caller.ts";
import { type Running, startProgram } from "../support/program.ts";
import { newStore } from "../support/proof.ts";
import { pick, seed, seededRandom } from "../support/random.ts";
import { figureOf } from "../support/scrape.ts";
import { assertNoErrors, temporaryFolder, testService } from "../support/service.ts";
import { until } from "../support/until.ts";
import { addLargePage, createHead } from "../support/wire.ts";

interface Times {
	medianMs: number;
	p99Ms: number;
}

/** A service with a page of animals, and a well-behaved client of the service. */
async function victim(context: TestContext) {
	const { environment, key } = await newStore("animals", temporaryFolder(context));
	const service = await startProgram(context, { ...environment, CONNECTIONS_PER_ADDRESS: "0" });
	const agent = new Agent({ keepAlive: true });
	context.after(() => agent.destroy());
	const list = async () => (await ask(`${service.url}/v1/pets`, { key, agent })).status;
	/** The time until a list gets 200. After a 503, which a busy service may send, the list is repeated. */
	async function timeOfAnswer(): Promise<number> {
		const startedAt = performance.now();
		await until("a 200", async () => (await list()) === 200, { everyMs: 1 });
		return performance.now() - startedAt;
	}
	/** The median and the p99 of the times of 300 requests. */
	async function times(): Promise<Times> {
		const all: number[] = [];
		for (let count = 0; count < 300; count++) all.push(await timeOfAnswer());
		all.sort((a, b) => a - b);
		return { medianMs: all[150] ?? 0, p99Ms: all[296] ?? 0 };
	}
	const port = Number(new URL(service.url).port);
	await addLargePage(port, key);
	await times();
	return { service, port, key, list, agent, times };
}

/** Opens connections, hands each to `use`, and closes them with the test. */
async function connections(
	context: TestContext,
	port: number,
	count: number,
	use: (socket: Socket) => void,
): Promise<Socket[]> {
	const open = () =>
		new Promise<Socket>((resolve, reject) => {
			const socket = connect(port, "127.0.0.1", () => {
				use(socket);
				resolve(socket);
			});
			socket.on("error", reject);
			context.after(() => socket.destroy());
		});
	return Promise.all(Array.from({ length: count }, open));
}

const memory = (service: Running) => figureOf(service, "process_resident_memory_bytes");

/** Allows three times the calm values, or the delay that other programs cause on a busy machine. */
function assertQuick(calm: Times, now: Times): void {
	assert.ok(now.medianMs <= Math.max(3 * calm.medianMs, 30), `median ${now.medianMs} ms, calm ${calm.medianMs} ms`);
	assert.ok(now.p99Ms <= Math.max(3 * calm.p99Ms, 250), `p99 ${now.p99Ms} ms, calm ${calm.p99Ms} ms`);
}

interface Attack {
	/** The number of connections. */
	count: number;
	inFlightMax?: number;
	/** The highest growth of memory that is allowed. */
	bytesMax?: number;
	use: (socket: Socket, target: Awaited<ReturnType<typeof victim>>) => void;
}

/** The number of connections that drip so far. */
let dripping = 0;

const attacks: Record<string, Attack> = {
	"2,000 idle connections": { count: 2000, use: () => {} },
	"200 connections whose headers or bodies drip": {
		count: 200,
		use: (socket, { key }) => {
			const isBody = dripping++ % 2 === 1;
			socket.write(isBody ? createHead(key, "Content-Length: 60000\r\n\r\n") : "GET /v1/pets HTTP/1.1\r\nHost: a\r\n");
			const drip = setInterval(() => socket.write(isBody ? " " : "X-A: b\r\n"), 50);
			socket.on("close", () => clearInterval(drip));
		},
	},
	"40 connections that pipeline 250 large pages and read no reply": {
		count: 40,
		inFlightMax: 40 * underWayMax,
		// The pages under way take 130 MB. All 250 pages of each connection would take 1,000 MB.
		bytesMax: 300e6,
		use: (socket, { key }) => {
			socket.pause();
			const page = `GET /v1/pets?limit=100 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
			socket.write(page.repeat(250));
		},
	},
	"endless bodies without a key": {
		count: 20,
		use: (socket) => {
			socket.on("error", () => {});
			socket.write(
				"POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
			);
			const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
			const pump = setInterval(() => socket.writable && socket.writableLength < 1e6 && socket.write(chunk), 5);
			socket.on("close", () => clearInterval(pump));
		},
	},
};

for (const [name, { count, inFlightMax = Infinity, bytesMax = 150e6, use }] of Object.entries(attacks)) {
	test(`${name} do not slow down another client, and memory stays bounded`, async (context) => {
		const target = await victim(context);
		const calm = await target.times();
		const calmBytes = await memory(target.service);
		const sockets = await connections(context, target.port, count, (socket) => use(socket, target));
		await sleep(200);
		const underAttack = await target.times();
		const inFlight = await figureOf(target.service, "animal_store_requests_in_flight");
		const grownBytes = (await memory(target.service)) - calmBytes;
		context.diagnostic(
			`calm ${JSON.stringify(calm)}, under attack ${JSON.stringify(underAttack)}; memory +${(grownBytes / 1e6).toFixed(0)} MB, ${inFlight} in flight`,
		);
		for (const socket of sockets) socket.destroy();
		assertQuick(calm, underAttack);
		assert.ok(grownBytes < bytesMax, `memory has grown by ${grownBytes} bytes`);
		assert.ok(inFlight <= inFlightMax, `${inFlight} requests are in flight`);
	});
}

test("200 clients that pipeline delay others at most three times as long as clients that do not", async (context) => {
	const target = await victim(context);
	const { headers } = await ask(`${target.service.url}/v1/pets?limit=100`, {
		headers: { authorization: `Bearer ${target.key}` },
	});
	// The service makes the page for each request, but replies with a small 304, so the clients need little CPU.
	const fields = `Host: a\r\nAuthorization: Bearer ${target.key}\r\nIf-None-Match: ${headers["etag"]}\r\n`;
	const request = (field = "") => `GET /v1/pets?limit=100 HTTP/1.1\r\n${fields}${field}\r\n`;
	const probes = [`${target.service.url}/livez`, `${target.service.opsUrl}/metrics`];
	/** The longest wait of another client while 200 clients send `count` requests each, `ahead` at a time. */
	async function longestMs(count: number, ahead: number): Promise<number> {
		const sockets = await connections(context, target.port, 200, (socket) => {
			const unsent = [...Array(count - 1).fill(request()), request("Connection: close\r\n")];
			const send = () => unsent.length > 0 && socket.write(unsent.splice(0, ahead).join(""));
			socket.on("data", send);
			send();
		});
		let longest = 0;
		while (sockets.some(({ destroyed }) => !destroyed)) {
			const startedAt = performance.now();
			await Promise.all([target.list(), ...probes.map((url) => ask(url, { agent: target.agent }))]);
			longest = Math.max(longest, performance.now() - startedAt);
		}
		return longest;
	}
	const oneByOne = await longestMs(5, 1);
	const mostMs = Math.max(3 * oneByOne, 250);
	let pipelined = Infinity;
	// Other programs on a busy machine may delay one attempt, but not all three.
	for (let attempts = 0; attempts < 3 && pipelined > mostMs; attempts++) pipelined = await longestMs(30, 30);
	context.diagnostic(`one by one ${oneByOne.toFixed(0)} ms, pipelined ${pipelined.toFixed(0)} ms`);
	assert.ok(pipelined <= mostMs, `${pipelined} ms, one by one ${oneByOne} ms`);
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
	for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 150 }, visit));
	assertNoErrors(service);
	assert.equal((await service.send({ path: "/livez" })).status, 200);
});
