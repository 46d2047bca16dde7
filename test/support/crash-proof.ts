// The crash proof: clients create animals while the service is killed (SIGKILL) at random moments and restarted; after
// every restart the store is compared with a ledger of the creates.

import assert from "node:assert/strict";
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { petStatuses } from "../../src/contract/pet.ts";
import { type Attempt, Ledger, listAll } from "./ledger.ts";
import type { Running } from "./program.ts";
import { seededRandom } from "./random.ts";
import { until, within } from "./until.ts";

export interface Proof {
	kills: number;
	seed: number;
	/** Starts the service on the store. */
	start(): Promise<Running>;
	key: string;
	clients?: number;
	onProgress?(line: string): void;
}

export interface Proven {
	seed: number;
	kills: number;
	acknowledged: number;
	unknown: number;
	/** The unknown animals that were stored. */
	unknownKept: number;
	replayed: number;
}

/** The least average of acknowledged creates per kill, also on a busy machine. */
const acknowledgedEachKill = 60;

/** @throws AssertionError if a promise is broken */
export async function proveCrashes({ kills, seed, start, key, clients = 16, onProgress }: Proof): Promise<Proven> {
	const random = seededRandom(seed);
	const ledger = new Ledger();
	let next = 0;
	let replayed = 0;

	function newAttempt(): Attempt {
		const number = next++;
		const status = petStatuses[Math.floor(random() * 4)];
		const categoryId = BigInt(Math.floor(random() * 2 ** 32)) * 2147483648n - 2n ** 62n;
		return {
			pet: { name: `animal ${seed} ${number} 🐾`, categoryId, ...(status && { status }) },
			idempotencyKey: random() < 0.5 ? `key-${seed}-${number}` : undefined,
		};
	}

	/** Creates until the connection breaks. The outcome of the last create is unknown, unless a retry settles it. */
	async function client(url: string, agent: Agent, retries: Attempt[]): Promise<void> {
		for (;;) {
			const attempt = retries.pop() ?? newAttempt();
			const reply = await post(url, key, agent, attempt).catch(() => undefined);
			if (!reply) return ledger.lose(attempt);
			if (reply.status === 201) {
				const id = BigInt(/^\{"id":(\d+)/.exec(reply.body)?.[1] ?? 0);
				if ("idempotency-replayed" in reply.headers) replayed++;
				ledger.acknowledge(attempt, id);
			} else if (reply.status === 503) ledger.lose(attempt);
			else assert.fail(`${reply.status} ${reply.body}`);
		}
	}

	for (let kill = 0; kill <= kills; kill++) {
		const service = await start();
		ledger.verify(await listAll(service.url, key));
		if (kill === kills) {
			await service.stop("SIGKILL");
			break;
		}
		const agent = new Agent({ keepAlive: true });
		const retries = [...ledger.unknown.values()].filter(({ idempotencyKey }) => idempotencyKey !== undefined);
		const work = Array.from({ length: clients }, () => client(service.url, agent, retries));
		const working = Promise.all(work);
		await Promise.race([working, sleep(20 + random() * 380)]);
		assert.equal(service.process.exitCode, null, "the service ended by itself");
		const enough = (kill + 1) * acknowledgedEachKill;
		await Promise.race([working, until(`${enough} creates`, () => ledger.acknowledged.size >= enough)]);
		service.process.kill("SIGKILL");
		await within("every client to notice the kill", Promise.all([working, service.finished]));
		agent.destroy();
		if (kill % 10 === 9)
			onProgress?.(
				`${kill + 1} of ${kills} kills, ${ledger.acknowledged.size} animals acknowledged, ${ledger.unknown.size} unknown`,
			);
	}
	const unknownKept = [...ledger.unknown.values()].filter(({ id }) => id !== undefined).length;
	return {
		seed,
		kills,
		acknowledged: ledger.acknowledged.size,
		unknown: ledger.unknown.size,
		unknownKept,
		replayed,
	};
}

export interface Answer {
	status: number;
	headers: IncomingHttpHeaders;
	body: string;
}

/** Whether the service was overloaded, so that it stored nothing. */
export function isShed({ status, body }: Answer): boolean {
	return status === 503 && body.includes('"code":"overloaded"');
}

/** Sends a create. @throws Node's error if the connection fails before the reply is complete */
export function post(url: string, key: string, agent: Agent, { pet, idempotencyKey }: Attempt): Promise<Answer> {
	const { name, categoryId, status } = pet;
	const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${status ? `,"status":"${status}"` : ""}}`;
	const headers = {
		authorization: `Bearer ${key}`,
		"content-type": "application/json",
		"content-length": Buffer.byteLength(body),
		...(idempotencyKey && { "idempotency-key": idempotencyKey }),
	};
	return new Promise((resolve, reject) => {
		const sent = request(`${url}/v1/pets`, { method: "POST", agent, headers }, (reply) => {
			let text = "";
			reply.setEncoding("utf8").on("data", (chunk) => {
				text += chunk;
			});
			reply.on("end", () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: text }));
			reply.on("error", reject);
		});
		sent.on("error", reject);
		sent.end(body);
	});
}
