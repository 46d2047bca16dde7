// Two nodes of one store on one port: SIGKILLs of one node, and stops of both at once. `npm test` runs
// a few kills.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "../support/create.ts";
import { listAll } from "../support/ledger.ts";
import { startMixedLoad } from "../support/mixed-load.ts";
import { freePort } from "../support/postgres-server.ts";
import { type Running, startProgram } from "../support/program.ts";
import { linux, newDatabase, newStore, type Proof, type TrialStore } from "../support/proof.ts";
import { seededRandom } from "../support/random.ts";

export const proof: Proof = {
	shows: "an acknowledged animal survives every SIGKILL of one of two nodes, and nodes that stop at once leave no WAL",
	needs: [linux],
	options: {
		"node-kills": { default: "100", text: "kills of a node, for each engine" },
		stops: { default: "50", text: "stops of both nodes of an embedded store at once" },
	},
	async prove(trial) {
		async function prove({ environment, key }: TrialStore) {
			const shared = { ...environment, REUSE_PORT: "true", PORT: String(await freePort()) };
			const start = () => startProgram(trial, shared);
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

async function stopAtOnce(nodes: Running[]): Promise<void> {
	for (const { process } of nodes) process.kill("SIGTERM");
	for (const { finished } of nodes) assert.equal((await finished).code, 0);
}

/** The least number of acknowledged creates between two kills, also on a busy machine. */
const acknowledgedEachKill = 60;

/** @param start starts a node on the shared port @returns the figures, and the nodes @throws AssertionError */
export async function proveNodeCrashes(options: {
	start: () => Promise<Running>;
	key: string;
	kills: number;
	seed: number;
	onProgress?: (line: string) => void;
}) {
	const { start, key, kills, seed, onProgress } = options;
	const random = seededRandom(seed);
	const nodes = await Promise.all([start(), start()]);
	let replayed = 0;
	const onReply = (_url: string, { headers }: Answer) => {
		if ("idempotency-replayed" in headers) replayed++;
	};
	const url = String(nodes[0]?.url);
	const load = startMixedLoad([url], key, { clients: 24, mayBreak: true, onReply });
	const { ledger } = load;
	for (let kill = 1; kill <= kills; kill++) {
		await load.acknowledges(acknowledgedEachKill);
		await sleep(random() * 100);
		const victim = nodes[kill % 2] as Running;
		await victim.stop("SIGKILL");
		nodes[kill % 2] = await start();
		if (kill % 10 === 0) onProgress?.(`${kill} of ${kills} kills, ${ledger.acknowledged.size} animals acknowledged`);
	}
	await load.stop();
	for (const { url } of nodes) ledger.verify(await listAll(url, key));
	const unknown = [...ledger.unknown.values()];
	const unknownKept = unknown.filter(({ id }) => id !== undefined).length;
	const proven = { kills, acknowledged: ledger.acknowledged.size, unknown: unknown.length, unknownKept, replayed };
	return { proven, nodes };
}
