// The proof of several nodes: clients create animals over one port and retry with their Idempotency-Keys while one node after the
// other is killed (SIGKILL) and started again; a ledger of what was acknowledged is held against the store.

import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { post } from "./crash-proof.ts";
import { idOf } from "./full-disk.ts";
import { type Attempt, Ledger, listAll } from "./ledger.ts";
import type { Running } from "./program.ts";
import { seededRandom } from "./random.ts";
import { until, within } from "./until.ts";

const clients = 24;
/** So many creates at least between two kills, however busy the machine is. */
const acknowledgedEachKill = 60;

export interface NodesProven {
	kills: number;
	acknowledged: number;
	unknown: number;
	/** Those of them that turned out to be kept. */
	unknownKept: number;
	replayed: number;
}

/** @param start starts a node on the port that all share @returns the figures, and the nodes @throws AssertionError */
export async function proveNodeCrashes(options: {
	start: () => Promise<Running>;
	key: string;
	kills: number;
	seed: number;
	onProgress?: (line: string) => void;
}): Promise<{ proven: NodesProven; nodes: Running[] }> {
	const { start, key, kills, seed, onProgress } = options;
	const random = seededRandom(seed);
	const nodes = await Promise.all([start(), start()]);
	const ledger = new Ledger();
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
		const answer = await post(String(nodes[0]?.url), key, agent, mine).catch(() => undefined);
		if (answer?.status !== 201) ledger.lose(mine);
		if (answer && answer.status !== 201 && answer.status !== 503) throw new Error(`${answer.status} ${answer.body}`);
		if (answer?.status !== 201) return false;
		if ("idempotency-replayed" in answer.headers) replayed++;
		ledger.acknowledge(mine, idOf(answer));
		return true;
	}

	const work = Promise.all(Array.from({ length: clients }, client));
	for (let kill = 1; kill <= kills; kill++) {
		const enough = ledger.acknowledged.size + acknowledgedEachKill;
		await Promise.race([work, until(`${enough} creates`, () => ledger.acknowledged.size >= enough)]);
		await sleep(random() * 100);
		const victim = nodes[kill % 2] as Running;
		victim.process.kill("SIGKILL");
		await victim.finished;
		nodes[kill % 2] = await start();
		if (kill % 10 === 0) onProgress?.(`${kill} of ${kills} kills, ${ledger.acknowledged.size} animals acknowledged`);
	}
	isStopped = true;
	await within("the clients to end", work);
	for (const { url } of nodes) ledger.verify(await listAll(url, key));
	const unknown = [...ledger.unknown.values()];
	const unknownKept = unknown.filter(({ id }) => id !== undefined).length;
	const proven = { kills, acknowledged: ledger.acknowledged.size, unknown: unknown.length, unknownKept, replayed };
	return { proven, nodes };
}
