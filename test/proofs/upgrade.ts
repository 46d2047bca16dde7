// Several versions share one store: this version, and copies of it with more migrations. A newer version starts while
// the older version serves creates. Then the store is rolled back with the commands of docs/embedded-store.md.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../support/caller.ts";
import { copyTree } from "../support/checkout.ts";
import { blockOf } from "../support/document-blocks.ts";
import { type Ledger, listAll } from "../support/ledger.ts";
import { startMixedLoad, startSteadyLoad } from "../support/mixed-load.ts";
import { type Running, runWell, startProgram, startRefused } from "../support/program.ts";
import { newStore, type Proof, type Trial, type TrialStore, withKey } from "../support/proof.ts";
import { runSql } from "../support/sql.ts";
import { startBalancer } from "../support/tcp-proxy.ts";
import type { Reply } from "../support/wire.ts";
import { addTo } from "./house/changed-tree.ts";
import { postgresTools, startServer } from "./pg-backup.ts";

export const proof: Proof = {
	shows: "a step that only adds refuses no create; after any other step, older nodes serve reads, and a rollback works",
	needs: [postgresTools],
	async prove(trial) {
		const tree = nextVersion(join(trial.folder, "next"));
		const figures: Record<string, object> = {};
		for (const [engine, open] of Object.entries(engines)) {
			const store = await open(trial);
			const other = await open({ ...trial, folder: mkdtempSync(join(trial.folder, "steps-")) });
			const rolledBack = await rollBack(trial, store, await upgrade(trial, tree, store));
			figures[engine] = { ...rolledBack, ...(await inTwoSteps(trial, engine, other)) };
		}
		return figures;
	},
};

/** A store that can be backed up, and that the older version can restore. */
interface Upgradable extends TrialStore {
	backUp(): Promise<unknown>;
	/** @returns the environment for the older version */
	restore(): Promise<{ DATABASE_URL: string }>;
}

const engines: Record<string, (trial: Trial) => Promise<Upgradable>> = {
	async sqlite(trial) {
		const store = await newStore("upgrade", trial.folder);
		const { environment } = store;
		const backup = join(trial.folder, "before.db");
		return {
			...store,
			backUp: () => runWell(["backup", backup], { environment }),
			async restore() {
				await runWell(["restore", backup, "--force"], { environment });
				return environment;
			},
		};
	},
	async postgres(trial) {
		const { url, shell } = await startServer(trial);
		for (const name of ["animals", "restored"]) await runSql(`${url}/postgres`, `CREATE DATABASE ${name}`);
		const store = await withKey(`${url}/animals`);
		const NEW_DATABASE_URL = `${url}/restored`;
		const [, dump = "", restore = ""] = blockOf("docs/postgresql.md", "dump=").split("\n");
		return {
			...store,
			backUp: async () => shell(dump.replace("&&", ""), { ...store.environment, dump: "animals.dump" }),
			async restore() {
				shell(restore, { NEW_DATABASE_URL, dump: "animals.dump" });
				return { DATABASE_URL: NEW_DATABASE_URL };
			},
		};
	},
};

/** Adds a column that this version does not need. */
const expanding = { 998: "-- oldest writer: 6\nALTER TABLE pets ADD COLUMN note TEXT;\n" };
/** Also removes an index that this version needs. */
const contracting = { ...expanding, 999: "-- oldest writer: 998\nDROP INDEX edits_by_pet;\n" };

/**
 * Three nodes are replaced one by one while 24 clients create. First the next version replaces this version; this step
 * can be undone. Then the last version replaces the next version. The last migration breaks this version, which no longer
 * runs, but not the next version. No create is refused.
 */
async function inTwoSteps(trial: Trial, engine: string, { environment, key }: TrialStore): Promise<object> {
	const next = copyWith(join(trial.folder, `${engine}-expanding`), expanding);
	const last = copyWith(join(trial.folder, `${engine}-contracting`), contracting);
	const start = (tree?: string) => startProgram(trial, environment, tree === undefined ? {} : { tree });
	const nodes = [await start(), await start(), await start()];
	const port = await startBalancer(trial, () => nodes.map(({ url }) => Number(new URL(url).port)));
	const { ledger, acknowledges, stop } = startSteadyLoad([`http://127.0.0.1:${port}`], key);
	const replace = async (place: number, tree?: string) => {
		const node = await start(tree);
		await acknowledges(200);
		const [before] = nodes.splice(place, 1, node);
		assert.equal((await before?.stop())?.code, 0);
	};
	await replace(0, next);
	await replace(0);
	for (const tree of [next, last]) for (const place of nodes.keys()) await replace(place, tree);
	await acknowledges(200);
	await stop();
	for (const { url } of nodes) ledger.verify(await listAll(url, key));
	await startRefused(environment, /newer animal-store \(schema 998, /);
	const { size } = ledger.acknowledged;
	trial.say(`${engine}: ${size} creates while nodes were replaced 8 times in two steps: none refused`);
	return { inTwoSteps: size };
}

/** Copies this tree, and adds these migrations for each engine. @returns the copy's folder */
function copyWith(folder: string, steps: Record<number, string>): string {
	const tree = copyTree(folder);
	for (const engine of ["sqlite", "postgres"])
		for (const [version, sql] of Object.entries(steps))
			writeFileSync(join(tree, `src/store/migrations/${engine}-${version}.sql`), sql);
	return tree;
}

/** Copies this tree, and adds an optional field and a migration as CONTRIBUTING.md says. @returns the copy's folder */
function nextVersion(folder: string): string {
	const tree = copyWith(folder, { 999: "ALTER TABLE pets ADD COLUMN breed TEXT;\n" });
	addTo(
		tree,
		[
			"src/contract/pet.ts",
			"status: Type.Optional(PetStatus),",
			'breed: Type.Optional(Type.String({ description: "a string of 1 to 50 characters", maxLength: 50 })),',
		],
		["src/store/tables.ts", 'status: optional(text("status")),', 'breed: optional(text("breed")),'],
		["src/files/column-words.ts", "situacion situacao`),\n\t],", "\n\tbreed: [],"],
	);
	// Otherwise the first start builds the console, which takes longer than a start may take on a busy machine.
	execFileSync("npm", ["run", "--silent", "build"], { cwd: tree, stdio: "ignore" });
	return tree;
}

/** The next version starts while this version serves creates, and takes the creates that this version then refuses. */
async function upgrade(trial: Trial, tree: string, store: Upgradable): Promise<Rollback> {
	const { environment, key } = store;
	const older = await startProgram(trial, environment);
	const urls = [older.url];
	let refused = 0;
	// A refused client sends the same create to the next node, like a client of a balancer.
	const onReply = (_url: string, { status, body }: Reply) => {
		if (status === 201) return;
		assert.match(body, /"code":"storage_unavailable"/);
		refused++;
	};
	const load = startMixedLoad(urls, key, { clients: 12, onReply });
	const { ledger } = load;
	await load.acknowledges(300);
	await store.backUp();
	await load.acknowledges(300);
	const newer = await startProgram(trial, environment, { tree });
	urls.push(newer.url);
	await load.acknowledges(300);
	await load.stop();
	assert.ok(refused > 0, "the older version has refused creates");
	assert.match((await ask(`${older.url}/readyz`)).body, /"writes":"stopped"/);
	assert.equal((await ask(`${older.url}/livez`)).status, 503);
	for (const node of [newer, older]) ledger.verify(await listAll(node.url, key));
	await startRefused(environment, /^animal-store: .* newer animal-store \(schema \d+, .*\n$/);
	return { refused, ledger, nodes: [newer, older] };
}

interface Rollback {
	/** The creates that the older version has refused. */
	refused: number;
	ledger: Ledger;
	nodes: [newer: Running, older: Running];
}

/** Rolls back as docs/embedded-store.md says: export, restore the backup, import the newer animals. */
async function rollBack(trial: Trial, store: Upgradable, { refused, ledger, nodes }: Rollback) {
	const [newer] = nodes;
	const page = "docs/embedded-store.md";
	const cwd = mkdtempSync(join(trial.folder, "back-"));
	const runBlock = (block: string, url: string) =>
		execFileSync("bash", ["-euo", "pipefail", "-c", blockOf(page, block)], {
			cwd,
			env: { PATH: process.env["PATH"], ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: store.key },
			stdio: ["ignore", "pipe", "pipe"],
		});
	const sent = { name: "Rex", categoryId: 1, breed: "collie" };
	const reply = await ask(`${newer.url}/v1/pets`, { key: store.key, body: sent });
	const rex = JSON.parse(reply.body);
	assert.equal(rex.breed, "collie", "the newer version stores its new field");
	ledger.acknowledge({ pet: { name: "Rex", categoryId: 1n }, idempotencyKey: undefined }, BigInt(rex.id));
	runBlock("npx animal-store export", newer.url);
	for (const node of nodes) await node.stop();
	const older = await startProgram(trial, await store.restore());
	const restored = (await listAll(older.url, store.key)).length;
	assert.ok(restored >= 300 && restored < ledger.acknowledged.size);
	runBlock("last=", older.url);
	ledger.verify(await listAll(older.url, store.key));
	trial.say(`rolled back: ${restored} animals restored, ${ledger.acknowledged.size - restored} imported, same ids`);
	await older.stop();
	return { refused, restored, imported: ledger.acknowledged.size - restored };
}
