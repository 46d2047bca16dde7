// SIGKILL of one worker after the other of a service with several, many times.

import { startProgram } from "../program.ts";
import { linux, newStore, type Proof } from "../proof.ts";
import { proveWorkerCrashes } from "../workers-proof.ts";

export const proof: Proof = {
	shows: "an acknowledged animal survives every SIGKILL of a worker, and the others serve on",
	needs: [linux],
	options: {
		"worker-kills": { default: "100", text: "how often a worker is killed" },
		workers: { default: "3", text: "how many workers there are" },
	},
	async prove(trial) {
		const { environment, key } = await newStore("workers", trial.folder);
		const service = await startProgram(trial, { ...environment, WORKERS: trial.option("workers") });
		const kills = Number(trial.option("worker-kills"));
		return proveWorkerCrashes({ service, key, kills, seed: trial.seed, onProgress: trial.say });
	},
};
