// Operators' edits in the store, on both engines: their effect, the audit log, and the counts of animals.

import assert from "node:assert/strict";
import { test } from "node:test";
import Database from "better-sqlite3";
import { auditText } from "../../src/cli/audit.ts";
import { petStatuses } from "../../src/contract/pet.ts";
import type { LatestQuery } from "../../src/store/store.ts";
import { pick, seed, seededRandom } from "../support/random.ts";
import { runSql } from "../support/sql.ts";
import { readPet, readPets } from "../support/store-reads.ts";
import { engines } from "./engines.ts";

const editor = "operator";
const atMs = 1_790_000_000_000;

/** Waits a tick, because this process sees another process's writes only in a later tick of the event loop. */
const tick = () => new Promise(setImmediate);

test("the audit list shows every edit once, in order, over any number of pages", async (context) => {
	const { open } = await engines.sqlite(context, () => atMs);
	const store = await open();
	await store.createPet({ name: "Rex", categoryId: 1n });
	for (let edits = 0; edits <= 7; edits++) {
		const expected = Array.from({ length: edits }, (_, index) => index + 1);
		const text = async (isJson: boolean) => (await Array.fromAsync(auditText(store, isJson, 3))).join("");
		const ids = JSON.parse(await text(true)).map(({ id }: { id: number }) => id);
		assert.deepEqual(ids, expected);
		const [header = "", ...rows] = (await text(false)).split("\n").slice(0, -1);
		if (edits > 0) assert.match(header, /^id +at +animal +action +change +by$/);
		const shown = rows.map((row) => `${row.split(" ")[0]} ${row.indexOf(editor)}`);
		assert.equal(`${shown}`, `${expected.map((id) => `${id} ${header.indexOf("by")}`)}`);
		await store.edits.apply({ petId: 1n, editor, action: "rename", name: `${edits}` });
	}
});

for (const [engine, make] of Object.entries(engines)) {
	test(`${engine}: a repeated create of an edited or removed animal is a repeat, without its name`, async (context) => {
		const { open, reopen, databaseUrl } = await make(context, () => atMs);
		const store = await open();
		const rex = { name: "Rex", categoryId: 1n };
		const key = (name: string) => ({ caller: "a", key: name });
		for (const name of ["kept", "renamed", "removed"]) await store.createPet(rex, key(name));
		await store.edits.apply({ petId: 2n, editor, action: "rename", name: "Max" });
		await store.edits.apply({ petId: 3n, editor, action: "remove" });
		const reopened = await reopen(store);
		for (const [index, name] of ["kept", "renamed", "removed"].entries())
			assert.deepEqual(await reopened.createPet(rex, key(name)), { id: BigInt(index + 1), outcome: "replayed" });
		const other = { ...rex, name: "Max" };
		assert.equal((await reopened.createPet(other, key("kept"))).outcome, "reused");
		assert.equal((await reopened.createPet(other, key("renamed"))).outcome, "reused");
		assert.deepEqual(await reopened.createPet(other, key("removed")), { id: 3n, outcome: "replayed" });
		const fingerprints = await runSql(databaseUrl, "SELECT fingerprint FROM idempotency_keys ORDER BY pet_id");
		const lengths = fingerprints.map(({ fingerprint }) => String(fingerprint).length);
		assert.deepEqual(lengths, [64, 64, 0]);
		assert.equal((await reopened.createPet(rex)).id, 4n);
	});

	test(`${engine}: the latest edits, of all and of an editor among many others`, async (context) => {
		const { open, databaseUrl } = await make(context, () => atMs);
		const store = await open();
		await store.createPet({ name: "Rex", categoryId: 1n });
		assert.deepEqual(await store.edits.latest({ limit: 3 }), { edits: [] });
		const last = 20_003n;
		const some = `WITH RECURSIVE ids (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM ids WHERE id < ${last - 1n})`;
		const editorOf = "CASE WHEN id IN (2, 3, 10100) THEN 'Ann' ELSE 'Bo' END";
		const values = `SELECT id, 5, ${editorOf}, 'rename', 1 FROM ids`;
		await runSql(databaseUrl, `INSERT INTO edits (id, at_ms, editor, action, pet_id) ${some} ${values}`);
		if (engine === "postgres")
			await runSql(databaseUrl, `UPDATE counters SET last_id = ${last - 1n} WHERE name = 'edits'`);
		await store.edits.apply({ petId: 1n, editor: "Ann", action: "rename", name: "Max" });
		const latest = async (query: LatestQuery) => {
			const { edits, next } = await store.edits.latest(query);
			return [edits.map(({ id, editor }) => `${id} ${editor}`).join(), next];
		};
		assert.deepEqual(await latest({ limit: 2 }), ["20003 Ann,20002 Bo", 20_002n]);
		assert.deepEqual(await latest({ limit: 2, before: 3n }), ["2 Ann,1 Bo", undefined]);
		assert.deepEqual(await latest({ limit: 1, before: 3n }), ["2 Ann", 2n]);
		assert.deepEqual(await latest({ limit: 2, editor: "Ann" }), ["20003 Ann,10100 Ann", 10_100n]);
		assert.deepEqual(await latest({ limit: 2, editor: "Ann", before: 10_100n }), ["", 100n]);
		assert.deepEqual(await latest({ limit: 9, editor: "Ann" }), ["20003 Ann,10100 Ann", 10_004n]);
		assert.deepEqual(await latest({ limit: 9, editor: "Ann", before: 4n }), ["3 Ann,2 Ann", undefined]);
	});

	test(`${engine}: numbers by status and category follow each create and edit of every process`, async (context) => {
		const { open } = await make(context, () => atMs);
		const [store, operator] = [await open(), await open()];
		const random = seededRandom(seed);
		let lastId = 0;
		const categoryId = () => BigInt(1 + Math.floor(3 * random()));
		const status = () => pick([undefined, ...petStatuses], random);
		const createSome = async () => {
			const pets = Array.from({ length: 30 }, () => ({ name: "a", categoryId: categoryId(), status: status() }));
			await Promise.all(pets.map((pet) => store.createPet(pet)));
			lastId += pets.length;
		};
		const editSome = async () => {
			for (let count = 0; count < 10; count++) {
				const petId = BigInt(1 + Math.floor(random() * lastId));
				const changes = [
					{ action: "remove" },
					{ action: "set-status", status: status() },
					{ action: "set-category", categoryId: categoryId() },
					{ action: "rename", name: "b" },
				] as const;
				await operator.edits.apply({ petId, editor, ...pick(changes, random) });
			}
		};
		await createSome();
		for (let round = 0; round < 8; round++) {
			await Promise.all([editSome(), createSome()]);
			const pets = await readPets(store, { after: 0n, limit: 1000 });
			const { counts, version } = await store.countPets();
			for (const one of [undefined, ...petStatuses])
				assert.equal(counts[one ?? "none"], pets.filter(({ status }) => status === one).length, `round ${round}`);
			assert.equal(version.lastEdit, (await store.edits.list(0n, 1000)).at(-1)?.id);
			for (const { id, animals } of await store.categories.list(10))
				assert.equal(animals, pets.filter((pet) => pet.categoryId === id).length, `round ${round}`);
		}
	});
}

test("sqlite: when a program restores the file in its place, nothing abandoned is shown", async (context) => {
	const { open, databaseUrl } = await engines.sqlite(context, () => atMs);
	const store = await open();
	const add = async (count: number, name: string) => {
		for (let number = 0; number < count; number++)
			await store.createPet({ name, categoryId: 1n, status: name === "lost" ? "sold" : "available" });
	};
	const see = async () => {
		const pages = await Promise.all([0n, 2n, 4n].map((after) => readPets(store, { after, limit: 2 })));
		const { available, sold } = (await store.countPets()).counts;
		return `${pages.flat().map(({ name }) => name)} ${available} ${sold}`;
	};
	const file = databaseUrl.slice("sqlite:".length);
	await add(2, "common");
	const saved = new Database(file);
	await saved.backup(`${file}.saved`);
	saved.close();
	await add(5, "lost");
	assert.equal(await see(), "common,common,lost,lost,lost,lost 2 5");
	const backup = new Database(`${file}.saved`, { readonly: true });
	await backup.backup(file);
	backup.close();
	await add(5, "new");
	assert.equal(await see(), "common,common,new,new,new,new 7 0");
});

test("sqlite: no read of a tick hides from others a commit of a process before the tick ends", async (context) => {
	const { open, databaseUrl } = await engines.sqlite(context, () => atMs);
	const store = await open();
	await store.createPet({ name: "Rex", categoryId: 1n });
	const reads = [
		() => store.getPet(2n),
		() => store.listPets({ after: 0n, limit: 1 }),
		() => store.keys.findByHash("h"),
		() => store.countPets(),
		() => store.edits.list(0n, 10),
	];
	for (const [index, read] of reads.entries()) {
		await tick();
		const earlier = Promise.all([read(), readPet(store, 1n)]);
		await new Promise<void>((resolve) => process.nextTick(resolve));
		const file = new Database(databaseUrl.slice("sqlite:".length));
		file.exec(`UPDATE pets SET name = 'Rex ${index}' WHERE id = 1`);
		file.close();
		assert.equal((await readPet(store, 1n))?.name, `Rex ${index}`);
		assert.equal((await earlier)[1]?.name, `Rex ${index}`, "even an earlier request shows the edit");
	}
});
