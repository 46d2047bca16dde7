// Attacks by slow, greedy or numerous clients. `npm test` checks that another client is answered, and that memory is
// bounded; this proof also measures how long the other client waits.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { underWayMax } from "../../../src/http/connection.ts";
import { ask } from "../../support/caller.ts";
import { type Running, startProgram } from "../../support/program.ts";
import { newStore, type Trial } from "../../support/proof.ts";
import { figureOf } from "../../support/scrape.ts";
import { temporaryFolder } from "../../support/service.ts";
import { type CleanUps, until } from "../../support/until.ts";
import { addLargePage, createHead } from "../../support/wire.ts";

interface Times {
	medianMs: number;
	p99Ms: number;
}

/** A service with a page of animals, and a well-behaved client of the service. */
export async function victim(context: CleanUps) {
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
	/** The median and the p99 of the times of this many requests. */
	async function times(count: number): Promise<Times> {
		const all: number[] = [];
		while (all.length < count) all.push(await timeOfAnswer());
		all.sort((a, b) => a - b);
		return { medianMs: all[Math.floor(0.5 * count)] ?? 0, p99Ms: all[Math.floor(0.99 * count)] ?? 0 };
	}
	const port = Number(new URL(service.url).port);
	await addLargePage(port, key);
	await times(300);
	return { service, port, key, times, calmBytes: await memory(service) };
}

/** Opens connections, hands each to `use`, and closes them with the test. */
async function connections(
	context: CleanUps,
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

export const memory = (service: Running) => figureOf(service, "process_resident_memory_bytes");

type Victim = Awaited<ReturnType<typeof victim>>;

export interface Attack {
	/** The number of connections. */
	count: number;
	/** The most requests in flight. */
	inFlightMax?: number;
	/** The most that memory may grow. */
	bytesMax?: number;
	use: (socket: Socket, target: Victim) => void;
}

/** The number of connections that drip so far. */
let dripping = 0;

/** The last one takes the most memory, which the service keeps. */
export const attacks: Record<string, Attack> = {
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
	"200 connections that pipeline 250 requests without a key": {
		count: 200,
		use: (socket) => socket.resume().write("GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n".repeat(250)),
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
};

/**
 * Another client sends this many requests during an attack.
 * @returns how long it waited @throws AssertionError if memory or the requests in flight exceed their limits
 */
export async function endure(context: CleanUps, target: Victim, attack: Attack, requests: number): Promise<Times> {
	const { count, inFlightMax = Infinity, bytesMax = 150e6, use } = attack;
	const sockets = await connections(context, target.port, count, (socket) => use(socket, target));
	await sleep(200);
	const attacked = await target.times(requests);
	const inFlight = await figureOf(target.service, "animal_store_requests_in_flight");
	const grownBytes = (await memory(target.service)) - target.calmBytes;
	for (const socket of sockets) socket.destroy();
	assert.ok(grownBytes < bytesMax, `memory has grown by ${grownBytes} bytes`);
	assert.ok(inFlight <= inFlightMax, `${inFlight} requests are in flight`);
	return attacked;
}

/** Under each attack, another client waits at most three times as long, or as long as other programs may delay it. */
export async function proveFairness(trial: Trial): Promise<object> {
	const waits: Record<string, string> = {};
	for (const [name, attack] of Object.entries(attacks)) {
		const target = await victim(trial);
		const calm = await target.times(300);
		const attacked = await endure(trial, target, attack, 300);
		const figures = `${JSON.stringify(calm)}, attacked ${JSON.stringify(attacked)}`;
		assert.ok(attacked.medianMs <= Math.max(3 * calm.medianMs, 30), `${name}: calm ${figures}`);
		assert.ok(attacked.p99Ms <= Math.max(3 * calm.p99Ms, 250), `${name}: calm ${figures}`);
		waits[name] = `p99 ${attacked.p99Ms.toFixed(1)} ms, calm ${calm.p99Ms.toFixed(1)} ms`;
		trial.say(`${name}: ${waits[name]}`);
	}
	return { waits };
}
