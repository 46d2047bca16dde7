// The trace of system calls: the WAL is synced between each animal's write and its reply.

import { join } from "node:path";
import { startProgram } from "../support/program.ts";
import { linux, newStore, type Proof, program } from "../support/proof.ts";
import { proveSyncs, tracing } from "../support/system-calls.ts";

export const proof: Proof = {
	shows: "the WAL is synced between each animal's write and its reply, in the trace of system calls",
	needs: [linux, program("strace")],
	async prove(trial) {
		const { environment, key } = await newStore("calls", trial.folder);
		const trace = join(trial.folder, "trace");
		const service = await startProgram(trial, environment, { under: tracing(trace) });
		return proveSyncs(service, key, trace);
	},
};
