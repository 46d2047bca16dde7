// SIGKILL of a node over PostgreSQL at random moments, many times.

import { proveCrashes } from "../support/crash-proof.ts";
import { startProgram } from "../support/program.ts";
import { newDatabase, type Proof } from "../support/proof.ts";

export const proof: Proof = {
	shows: "an acknowledged animal survives every SIGKILL of a node over PostgreSQL",
	options: { kills: { default: "300", text: "number of kills" } },
	async prove(trial) {
		const { environment, key } = await newDatabase(trial);
		const start = () => startProgram(trial, environment);
		const kills = Number(trial.option("kills"));
		return proveCrashes({ kills, seed: trial.seed, key, start, onProgress: trial.say });
	},
};
