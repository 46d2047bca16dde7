// A backup during creates, then a SIGKILL. The backup is copied over the crashed store: the start refuses, because it
// would replay the old WAL. Then a restore brings back exactly the backup's animals. `npm test` runs one round.

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { attempt, idOf, isShed, post, record } from "../support/create.ts";
import { Ledger, listAll } from "../support/ledger.ts";
import { runProgram, runWell, startProgram, startRefused } from "../support/program.ts";
import { newStore, type Proof } from "../support/proof.ts";
import { seededRandom } from "../support/random.ts";
import { type CleanUps, until } from "../support/until.ts";

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
		const { environment, key } = await newStore("s", folder);
		const crashed = await crash({ context, environment, key, backup, later: Math.floor(random() * 600) });

		copyFileSync(backup, file);
		const log = readFileSync(`${file}-wal`);
		await startRefused(
			environment,
			/s\.db is a backup next to the WAL of another store, .*s\.db-wal: .* restore BACKUP --to .*s\.db\n$/,
		);
		assert.ok(
			readFileSync(`${file}-wal`).equals(log) && readFileSync(file).equals(readFileSync(backup)),
			"the files are unchanged",
		);

		const { code, stdout, stderr } = await runProgram(["restore", backup, "--force"], { environment });
		assert.deepEqual([code, stderr], [0, `in ${environment.DATABASE_URL}\n`]);
		assert.equal(stdout, `restored ${crashed.animals} animals from ${backup}\n`);
		assert.deepEqual(readdirSync(folder).sort(), ["b.db", "s.db"]);

		const service = await startProgram(context, environment);
		const listed = await listAll(service.url, key);
		assert.deepEqual(
			listed.map(({ id }) => id),
			Array.from({ length: crashed.animals }, (_, index) => BigInt(index + 1)),
			"the backup shows one point in time, without gaps",
		);
		const { acknowledged, unknown } = crashed.ledger;
		for (const pet of listed)
			assert.deepEqual(pet, { id: pet.id, ...(acknowledged.get(pet.name) ?? unknown.get(pet.name))?.pet });
		for (const id of crashed.before)
			assert.ok(id <= BigInt(crashed.animals), "animals from before the backup are in the backup");
		const next = await until("a create", async () => {
			const answer = await post(service.url, key, new Agent(), attempt(-1));
			return !isShed(answer) && answer;
		});
		assert.equal(idOf(next), BigInt(crashed.animals + 1));
		await service.stop("SIGKILL");
		proven.restored += crashed.animals;
		proven.later += acknowledged.size - crashed.before.length;
	}
	return proven;
}

interface Crash {
	context: RestoreProof["context"];
	environment: Record<string, string>;
	key: string;
	backup: string;
	/** The number of creates between the backup and the SIGKILL. */
	later: number;
}

/** Makes a backup while clients create with and without Idempotency-Keys, and kills the service. */
async function crash({ context, environment, key, backup, later }: Crash) {
	const service = await startProgram(context, environment);
	const ledger = new Ledger();
	const agent = new Agent({ keepAlive: true });
	let number = 0;
	const clients = Array.from({ length: 4 }, async (_, client) => {
		for (;;) {
			const mine = attempt(number++);
			if (client % 2) mine.idempotencyKey = `key-${number}`;
			if (!(await record(ledger, service.url, key, agent, mine))) return;
		}
	});
	await until("the creates before the backup", () => ledger.acknowledged.size >= 30);
	const before = [...ledger.acknowledged.values()].map(({ id = 0n }) => id);
	const said = await runWell(["backup", backup], { environment });
	const afterBackup = ledger.acknowledged.size;
	await until("the creates after the backup", () => ledger.acknowledged.size > afterBackup + later);
	service.process.kill("SIGKILL");
	await Promise.all([...clients, service.finished]);
	agent.destroy();
	return { ledger, before, animals: Number(/^backed up (\d+) animals /.exec(said)?.[1]) };
}
