// Sends many mutations of valid requests to services on both engines.

import assert from "node:assert/strict";
import { join } from "node:path";
import { runMutations } from "../contract/mutation-run.ts";
import { startPostgresFor } from "../support/postgres-server.ts";
import type { Proof, Trial } from "../support/proof.ts";

async function databaseOf(engine: string, { folder, after }: Trial): Promise<string> {
	if (engine === "sqlite") return `sqlite:${join(folder, "mutations.db")}`;
	return (await startPostgresFor({ after })).databaseUrl;
}

export const proof: Proof = {
	shows: "for any bytes there is no 5xx, no data without the key, and every failure is an Error object",
	options: {
		cases: { default: "100000", text: "number of cases, half of them on each engine" },
		first: { default: "0", text: "the number of the first case" },
		engine: { default: "", text: "only this engine: sqlite or postgres" },
	},
	async prove(trial) {
		const engines = trial.option("engine") ? [trial.option("engine")] : ["sqlite", "postgres"];
		const each = Math.ceil(Number(trial.option("cases")) / engines.length);
		const figures: Record<string, object> = {};
		for (const [place, engine] of engines.entries()) {
			const first = Number(trial.option("first")) + place * each;
			const say = (line: string) => trial.say(`${engine}: ${line}`);
			const databaseUrl = await databaseOf(engine, trial);
			const run = { databaseUrl, seed: trial.seed, first, cases: each, say };
			const { findings, statuses } = await runMutations(trial, run);
			assert.equal(findings.length, 0, `${findings.length} findings, reported above`);
			figures[engine] = { cases: each, statuses };
		}
		return { seed: trial.seed, ...figures };
	},
};
