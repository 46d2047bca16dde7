// SIGKILL of the service over the embedded store at random moments, many times.

import { proveCrashes } from "../support/crash-proof.ts";
import { startProgram } from "../support/program.ts";
import { newStore, type Proof } from "../support/proof.ts";

export const proof: Proof = {
	shows: "an acknowledged animal survives every SIGKILL of the service",
	options: { kills: { default: "300", text: "number of kills" } },
	async prove(trial) {
		const { environment, key } = await newStore("crash", trial.folder);
		const start = () => startProgram(trial, environment);
		const kills = Number(trial.option("kills"));
		return proveCrashes({ kills, seed: trial.seed, key, start, onProgress: trial.say });
	},
};
