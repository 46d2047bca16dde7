// Several nodes of one store on one machine, each a separate process.

import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { openStore } from "../../src/store/open.ts";
import { removeLeftWal } from "../../src/store/sqlite/file.ts";
import { proveNodeCrashes, stopAtOnce } from "../proofs/nodes.ts";
import { callWell } from "../support/command.ts";
import { attempt, idOf, post } from "../support/create.ts";
import { Ledger, listAll } from "../support/ledger.ts";
import { passedSocket, type Running, startProgram } from "../support/program.ts";
import { withKey } from "../support/proof.ts";
import { figureOf } from "../support/scrape.ts";
import { temporaryFolder, temporaryStore } from "../support/service.ts";
import { animalsIn } from "../support/store-reads.ts";
import { until } from "../support/until.ts";
import { engines } from "./engines.ts";
import { startStoreProcess } from "./process.ts";

/** Creates animals over new connections until this many nodes have replied. */
async function createOn(url: string, key: string, nodes: number, ledger: Ledger): Promise<void> {
	const answered = new Set<string>();
	let number = ledger.acknowledged.size;
	await until(`${nodes} nodes to answer`, async () => {
		const mine = attempt(number++);
		const answer = await post(url, key, new Agent({ keepAlive: false }), mine);
		assert.equal(answer.status, 201, answer.body);
		ledger.acknowledge(mine, idOf(answer));
		answered.add(String(answer.headers["x-request-id"]).replace(/-[^-]*$/, ""));
		return answered.size === nodes;
	});
}

for (const [engine, make] of Object.entries(engines)) {
	test(`${engine}: nodes that start together make one store and one first key, and share a socket`, async (context) => {
		const environment = { DATABASE_URL: (await make(context)).databaseUrl };
		const socket = { ...passedSocket(context), parameters: ["serve", "--first-key"] };
		const nodes = await Promise.all([1, 2].map(() => startProgram(context, environment, socket)));
		const [first, second] = nodes as [Running, Running];
		assert.deepEqual([first.url, second.url], Array(2).fill(`http://127.0.0.1:${socket.port}`));
		const printed = () => nodes.map(({ output }) => output.stderr);
		await until("every node to have printed", () => printed().every((text) => /The reply now|keys list/.test(text)));
		const keys = printed().flatMap((text) => text.match(/(?<=^ {2}export ANIMAL_STORE_KEY=)pets_\w+$/gm) ?? []);
		assert.equal(keys.length, 1);
		const key = String(keys[0]);
		const ledger = new Ledger();
		await createOn(first.url, key, 2, ledger);
		const created = (node: Running) =>
			figureOf(node, "animal_store_request_duration_seconds_count", { operation: "createPet" });
		const [here, there] = [await created(first), await created(second)];
		assert.ok(here >= 1 && there >= 1, `${here}, ${there}`);
		assert.equal(here + there, ledger.acknowledged.size);
		await stopAtOnce([first]);
		await createOn(second.url, key, 1, ledger);
		ledger.verify(await listAll(second.url, key));
		await stopAtOnce([second]);
		const listed = JSON.parse(await callWell(["keys", "list", "--json"], { environment }));
		assert.deepEqual([listed.length, listed[0].name], [1, "first key"]);
	});
}

test("nodes on one port, one of which is killed under load, lose nothing acknowledged", async (context) => {
	const { environment, key } = await withKey(temporaryStore(context));
	const socket = passedSocket(context);
	const start = () => startProgram(context, environment, socket);
	const { nodes } = await proveNodeCrashes({ start, key, kills: 1, seed: 1 });
	await stopAtOnce(nodes);
});

test("processes that close a store at the same moment leave no WAL", async (context) => {
	const file = join(temporaryFolder(context), "animals.db");
	const processes = [1, 2, 3].map(() => startStoreProcess(context, `sqlite:${file}`));
	for (let round = 1; round <= 4; round++) {
		for (const task of ["open", "create", "close"] as const) await Promise.all(processes.map((run) => run(task)));
		assert.ok(!existsSync(`${file}-wal`), `round ${round}`);
	}
});

test("a WAL that a killed process left is removed at the next close; its animals are kept", async (context) => {
	const file = join(temporaryFolder(context), "animals.db");
	const killed = startStoreProcess(context, `sqlite:${file}`);
	for (const task of ["open", "create", "die"] as const) await killed(task);
	assert.ok(existsSync(`${file}-wal`));
	const store = await openStore(`sqlite:${file}`, Date.now);
	assert.equal(statSync(`${file}-wal`).size, 0, "the WAL's content is in the file");
	const other = new Database(file, { readonly: true });
	other.pragma("user_version");
	await store.close();
	assert.ok(existsSync(`${file}-wal`), "a process that has the store open needs it");
	other.close();
	removeLeftWal(file);
	assert.ok(!existsSync(`${file}-wal`));
	assert.deepEqual(await animalsIn(`sqlite:${file}`), [{ id: 1n, name: "Rex", categoryId: 1n }]);
});
