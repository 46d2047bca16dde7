// The proof of several workers: clients create animals and retry with their Idempotency-Keys while one worker after the
// other is killed (SIGKILL); a ledger of what was acknowledged is held against the store.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isShed, post } from "./crash-proof.ts";
import { idOf } from "./full-disk.ts";
import { type Attempt, Ledger, listAll } from "./ledger.ts";
import type { Running } from "./program.ts";
import { seededRandom } from "./random.ts";
import { until, within } from "./until.ts";

const clients = 24;
/** So many creates at least between two kills, however busy the machine is. */
const acknowledgedEachKill = 60;

/** The processes that a process has started, oldest first (proc(5)). */
export function childrenOf(pid: number): number[] {
	return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
}

/** The log tells of this many workers that ended. */
export function replacements({ output }: Running): number {
	return output.stdout.split("a worker ended unexpectedly").length - 1;
}

export interface WorkersProven {
	kills: number;
	acknowledged: number;
	unknown: number;
	unknownKept: number;
	replayed: number;
}

/** @throws AssertionError when a promise is broken */
export async function proveWorkerCrashes(options: {
	service: Running;
	key: string;
	kills: number;
	seed: number;
	onProgress?: (line: string) => void;
}): Promise<WorkersProven> {
	const { service, key, kills, seed, onProgress } = options;
	const random = seededRandom(seed);
	const ledger = new Ledger();
	const count = childrenOf(service.pid).length;
	let number = 0;
	let replayed = 0;
	let isStopped = false;

	/** Every other create has an Idempotency-Key, and is repeated until it is acknowledged. */
	async function client(): Promise<void> {
		const agent = new Agent({ keepAlive: true, maxSockets: 1 });
		while (!isStopped) {
			const pet = { name: `animal ${number}`, categoryId: BigInt(number) };
			const mine: Attempt = { pet, idempotencyKey: number % 2 === 0 ? `key-${number}` : undefined };
			number++;
			while (!(await send(mine, agent)) && mine.idempotencyKey !== undefined);
		}
		agent.destroy();
	}
	/** @returns whether it is settled */
	async function send(mine: Attempt, agent: Agent): Promise<boolean> {
		const answer = await post(service.url, key, agent, mine).catch(() => undefined);
		if (answer?.status === 201) {
			if ("idempotency-replayed" in answer.headers) replayed++;
			ledger.acknowledge(mine, idOf(answer));
			return true;
		}
		if (answer) assert.ok(isShed(answer), `${answer.status} ${answer.body}`);
		else ledger.lose(mine);
		return false;
	}

	const work = Promise.all(Array.from({ length: clients }, client));
	for (let kill = 1; kill <= kills; kill++) {
		const enough = ledger.acknowledged.size + acknowledgedEachKill;
		await Promise.race([work, until(`${enough} creates`, () => ledger.acknowledged.size >= enough)]);
		await sleep(random() * 100);
		const workers = childrenOf(service.pid);
		const victim = workers[kill % workers.length] ?? 0;
		process.kill(victim, "SIGKILL");
		await until("the log to tell of it", () => replacements(service) === kill);
		const isReplaced = () => childrenOf(service.pid).length === count && !childrenOf(service.pid).includes(victim);
		await until("another worker", isReplaced);
		if (kill % 10 === 0) onProgress?.(`${kill} of ${kills} kills, ${ledger.acknowledged.size} animals acknowledged`);
	}
	isStopped = true;
	await within("the clients to end", work);
	ledger.verify(await listAll(service.url, key));
	const unknown = [...ledger.unknown.values()];
	const unknownKept = unknown.filter(({ id }) => id !== undefined).length;
	return { kills, acknowledged: ledger.acknowledged.size, unknown: unknown.length, unknownKept, replayed };
}
