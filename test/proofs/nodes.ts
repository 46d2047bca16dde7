// Two nodes of one store accept connections of one socket. One of them is killed (SIGKILL) under load, and both are
// stopped at the same time. `npm test` runs a few kills; the proof systemd restarts such nodes under load.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, linkOf } from "../support/caller.ts";
import { listAll } from "../support/ledger.ts";
import { startMixedLoad } from "../support/mixed-load.ts";
import { passedSocket, type Running, startProgram } from "../support/program.ts";
import { linux, newDatabase, newStore, type Proof, type Trial, type TrialStore } from "../support/proof.ts";
import { seededRandom } from "../support/random.ts";
import { startPoller } from "../support/readers.ts";
import { within } from "../support/until.ts";
import type { Reply } from "../support/wire.ts";

export const proof: Proof = {
	shows: "an acknowledged animal survives every SIGKILL of one of two nodes, and nodes that stop together leave no WAL",
	needs: [linux],
	options: {
		"node-kills": { default: "100", text: "kills of a node, for each engine" },
		stops: { default: "50", text: "stops of both nodes of an embedded store together" },
	},
	async prove(trial) {
		async function prove({ environment, key }: TrialStore) {
			const socket = passedSocket(trial);
			const start = () => startProgram(trial, environment, socket);
			const kills = Number(trial.option("node-kills"));
			const { proven, nodes } = await proveNodeCrashes({ start, key, kills, seed: trial.seed, onProgress: trial.say });
			await stopAtOnce(nodes);
			return { proven, start };
		}
		const sqlite = await prove(await newStore("nodes", trial.folder));
		const stops = Number(trial.option("stops"));
		for (let stop = 1; stop <= stops; stop++) {
			await stopAtOnce(await Promise.all([sqlite.start(), sqlite.start()]));
			assert.ok(!existsSync(`${trial.folder}/nodes.db-wal`), `stop ${stop} left a WAL`);
		}
		const postgres = await prove(await newDatabase(trial));
		return { seed: trial.seed, sqlite: sqlite.proven, stops, postgres: postgres.proven };
	},
};

export async function stopAtOnce(nodes: Running[]): Promise<void> {
	for (const { process } of nodes) assert.ok(process.kill("SIGTERM"), "no node ends by itself");
	for (const { finished } of nodes) assert.equal((await within("the stop", finished)).code, 0);
}

/**
 * Starts two nodes, clients that create on both, and a client that copies all animals. `stop` stops them.
 * @throws AssertionError from `stop` if an acknowledged animal is lost, repeated, reordered or missing in the copy
 */
export async function startNodesUnderLoad(trial: Trial, { environment, key }: TrialStore) {
	const nodes = await Promise.all([startProgram(trial, environment), startProgram(trial, environment)]);
	const urls = nodes.map(({ url }) => url);
	const load = startMixedLoad(urls, key);
	const poller = startPoller(urls, key);
	async function stop() {
		await load.stop();
		const animals = await listAll(urls[0] ?? "", key);
		load.ledger.verify(animals);
		await poller.stop(animals);
		await stopAtOnce(nodes);
		const { acknowledged, unknown } = load.ledger;
		const figures = { acknowledged: acknowledged.size, refused: load.statuses.get(503) ?? 0, unknown: unknown.size };
		return { animals, figures };
	}
	return { nodes, load, stop };
}

/** How many creates must be acknowledged between two kills, even on a busy machine. */
const acknowledgedEachKill = 60;

/**
 * Nodes on one port are killed (SIGKILL) one after another under load. At the end, the store is compared with a ledger
 * of the creates, and with the newest animals that were listed after each kill. `count` is the number of nodes.
 * @returns the figures, and the nodes @throws AssertionError if the store differs from the ledger
 */
export async function proveNodeCrashes(options: {
	/** Starts a node on the port. */
	start: () => Promise<Running>;
	key: string;
	kills: number;
	seed: number;
	count?: number;
	onProgress?: (line: string) => void;
}) {
	const { start, key, kills, seed, count = 2, onProgress } = options;
	const random = seededRandom(seed);
	const nodes = await Promise.all(Array.from({ length: count }, start));
	/** Animals that were listed after a kill. */
	const seen = new Map<number, object>();
	let replayed = 0;
	const onReply = (_url: string, { headers }: Reply) => {
		if ("idempotency-replayed" in headers) replayed++;
	};
	const url = String(nodes[0]?.url);
	const load = startMixedLoad([url], key, { clients: 24, mayBreak: true, onReply });
	const { ledger } = load;
	for (let kill = 1; kill <= kills; kill++) {
		await load.acknowledges(acknowledgedEachKill);
		await sleep(random() * 100);
		const victim = nodes[kill % count] as Running;
		assert.equal(victim.process.exitCode, null, "no node ends by itself");
		await victim.stop("SIGKILL");
		nodes[kill % count] = await start();
		const first = await ask(`${url}/v1/pets?limit=100`, { key });
		const last = await ask(`${url}${linkOf(first, "last")}`, { key });
		for (const pet of JSON.parse(last.body)) seen.set(pet.id, pet);
		if (kill % 10 === 0) onProgress?.(`${kill} of ${kills} kills, ${ledger.acknowledged.size} animals acknowledged`);
	}
	await load.stop();
	for (const { url } of nodes) ledger.verify(await listAll(url, key));
	for (const [id, pet] of seen) {
		const { body } = await ask(`${url}/v1/pets/${id}`, { key });
		assert.deepEqual(JSON.parse(body), pet, "what was listed once is never lost");
	}
	const unknown = [...ledger.unknown.values()];
	const unknownKept = unknown.filter(({ id }) => id !== undefined).length;
	const proven = { kills, acknowledged: ledger.acknowledged.size, unknown: unknown.length, unknownKept, replayed };
	return { proven, nodes };
}
