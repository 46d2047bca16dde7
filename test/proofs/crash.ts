// The service is killed (SIGKILL) at random moments under load and restarted, on both engines. This is the proof of
// nodes.ts with one node. `npm test` runs a few kills.

import { freePort } from "../support/postgres-server.ts";
import { startProgram } from "../support/program.ts";
import { newDatabase, newStore, type Proof, type TrialStore } from "../support/proof.ts";
import { proveNodeCrashes, stopAtOnce } from "./nodes.ts";

export const proof: Proof = {
	shows: "an acknowledged animal survives every SIGKILL of the service, on both engines",
	options: { kills: { default: "300", text: "number of kills, for each engine" } },
	async prove(trial) {
		const { seed, say: onProgress } = trial;
		const kills = Number(trial.option("kills"));
		async function prove({ environment, key }: TrialStore) {
			const shared = { ...environment, PORT: String(await freePort()) };
			const start = () => startProgram(trial, shared);
			const { proven, nodes } = await proveNodeCrashes({ start, key, kills, seed, count: 1, onProgress });
			await stopAtOnce(nodes);
			return proven;
		}
		const sqlite = await prove(await newStore("crash", trial.folder));
		return { seed, sqlite, postgres: await prove(await newDatabase(trial)) };
	},
};
