// A backup during creates, then a SIGKILL. The backup is copied over the crashed store: the start refuses, because it
// would replay the old WAL. Then a restore brings back exactly the backup's animals. `npm test` runs one round.

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callerOf } from "../support/caller.ts";
import { idOf } from "../support/create.ts";
import { listAll } from "../support/ledger.ts";
import { startMixedLoad } from "../support/mixed-load.ts";
import { runProgram, runWell, startProgram, startRefused } from "../support/program.ts";
import { newStore, type Proof, type TrialStore } from "../support/proof.ts";
import { seededRandom } from "../support/random.ts";
import type { CleanUps } from "../support/until.ts";

export const proof: Proof = {
	shows: "a backup is restored over the store of a killed service, and a file copied over it is refused",
	options: { rounds: { default: "50", text: "backups, each restored over the store of a killed service" } },
	prove({ folder, seed, option, after }) {
		const newFolder = () => mkdtempSync(join(folder, "restore-"));
		return proveRestores({ rounds: Number(option("rounds")), seed, context: { after }, newFolder });
	},
};

interface RestoreProof {
	rounds: number;
	seed: number;
	context: CleanUps;
	newFolder(): string;
}

/**
 * @returns two counts over all rounds: `restored` from the backups, and `later`, acknowledged after a backup began
 * @throws AssertionError if a promise is broken
 */
export async function proveRestores({ rounds, seed, context, newFolder }: RestoreProof) {
	const random = seededRandom(seed);
	const proven = { seed, rounds, restored: 0, later: 0 };
	for (let round = 0; round < rounds; round++) {
		const folder = newFolder();
		const [file, backup] = [join(folder, "s.db"), join(folder, "b.db")];
		const store = await newStore("s", folder);
		const { environment, key } = store;
		const crashed = await crash(context, store, backup, Math.floor(random() * 600));

		copyFileSync(backup, file);
		const log = readFileSync(`${file}-wal`);
		const said = /s\.db is a backup next to the WAL of another store, .*s\.db-wal: .* restore BACKUP --to .*s\.db\n$/;
		await startRefused(environment, said);
		assert.ok(readFileSync(`${file}-wal`).equals(log), "the WAL is unchanged");
		assert.ok(readFileSync(file).equals(readFileSync(backup)), "the file is unchanged");

		const { code, stdout, stderr } = await runProgram(["restore", backup, "--force"], { environment });
		assert.deepEqual([code, stderr], [0, `in ${environment.DATABASE_URL}\n`]);
		assert.equal(stdout, `restored ${crashed.animals} animals from ${backup}\n`);
		assert.deepEqual(readdirSync(folder).sort(), ["b.db", "s.db"]);

		const service = await startProgram(context, environment);
		const listed = await listAll(service.url, key);
		const ids = listed.map(({ id }) => id);
		const expected = Array.from({ length: crashed.animals }, (_, index) => BigInt(index + 1));
		assert.deepEqual(ids, expected, "the backup shows one point in time, without gaps");
		const { acknowledged, unknown } = crashed.ledger;
		for (const pet of listed)
			assert.deepEqual(pet, { id: pet.id, ...(acknowledged.get(pet.name) ?? unknown.get(pet.name))?.pet });
		for (const id of crashed.before)
			assert.ok(id <= BigInt(crashed.animals), "animals from before the backup are in the backup");
		assert.equal(idOf(await callerOf(service.url, key).create()), BigInt(crashed.animals + 1));
		await service.stop("SIGKILL");
		proven.restored += crashed.animals;
		proven.later += acknowledged.size - crashed.before.length;
	}
	return proven;
}

/** Makes a backup while clients create with and without Idempotency-Keys, and kills the service. */
async function crash(context: CleanUps, { environment, key }: TrialStore, backup: string, later: number) {
	const service = await startProgram(context, environment);
	const load = startMixedLoad([service.url], key);
	const { ledger } = load;
	await load.acknowledges(30);
	const before = [...ledger.acknowledged.values()].map(({ id = 0n }) => id);
	const said = await runWell(["backup", backup], { environment });
	await load.acknowledges(later + 1);
	await service.stop("SIGKILL");
	await load.stop().catch(() => {}); // The kill has aborted some creates.
	return { ledger, before, animals: Number(/^backed up (\d+) animals /.exec(said)?.[1]) };
}
