// `npm run prove`: the long form of the proofs. `--kills N` (300) for the crash proof, `--seed N` to repeat one,
// `--only crash|calls|disk`. The proofs of system calls and of the disk need Linux, strace, libfiu and the right to mount.

import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { proveCrashes } from "./crash-proof.ts";
import { runProgram, startProgram } from "./program.ts";

const { values } = parseArgs({
	options: {
		kills: { type: "string", default: "300" },
		seed: { type: "string", default: String(randomInt(2 ** 31)) },
		only: { type: "string", default: "" },
	},
});
const folder = mkdtempSync(join(tmpdir(), "animal-store-prove-"));
const cleanUps: (() => void)[] = [];
const context = { after: (cleanUp: () => void) => void cleanUps.push(cleanUp) };
const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

const proofs = {
	async crash() {
		const environment = { DATABASE_URL: `sqlite:${join(folder, "crash.db")}` };
		const key = (await runProgram(["keys", "create", "--name", "proof"], { environment })).stdout.trim();
		const kills = Number(values.kills);
		const seed = Number(values.seed);
		return proveCrashes({ kills, seed, key, start: () => startProgram(context, environment), onProgress: say });
	},
};

try {
	for (const [name, prove] of Object.entries(proofs)) {
		if (!name.includes(values.only)) continue;
		say(`proving: ${name}`);
		console.log(JSON.stringify({ proof: name, ...(await prove()) }));
	}
} finally {
	for (const cleanUp of cleanUps) cleanUp();
	rmSync(folder, { recursive: true, force: true });
}
