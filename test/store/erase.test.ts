// The names that edits replace are erased: the tests search the bytes of the files for these names. A failure is reported,
// and the erasure is tried again later.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { verifyStore } from "../../src/cli/maintenance/verify.ts";
import { engineOf } from "../../src/cli/maintenance/work.ts";
import { replacesName } from "../../src/contract/console.ts";
import type { NewPet, Pet } from "../../src/contract/pet.ts";
import { createBackground } from "../../src/store/background.ts";
import { createErasing } from "../../src/store/erasing.ts";
import { fingerprintOf } from "../../src/store/idempotency.ts";
import { openStore } from "../../src/store/open.ts";
import type { NewEdit, Store } from "../../src/store/store.ts";
import { databaseFor } from "../support/postgres.ts";
import { startPostgresFor } from "../support/postgres-server.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { seed, seededRandom } from "../support/random.ts";
import { temporaryFolder, temporaryStore } from "../support/service.ts";
import { connect, runSql } from "../support/sql.ts";
import { readPet, readPets, withStore } from "../support/store-reads.ts";
import { until, within } from "../support/until.ts";

const editor = "operator";
const atMs = Date.now();

/** A new file, random values, and functions that work on the file's store and close it. */
function newFile(context: TestContext) {
	const file = join(temporaryFolder(context), "animals.db");
	const databaseUrl = `sqlite:${file}`;
	const random = seededRandom(seed);
	const within = (max: number) => Math.floor(random() * max);
	const newName = () => `${random()} 犬 ${"犬".repeat(within(200))} ${random()}`;
	const pragma = async (name: string) => (await runSql(databaseUrl, `PRAGMA ${name}`))[0]?.[name];
	return {
		file,
		databaseUrl,
		within,
		newName,
		withStore: <Result>(work: (store: Store) => Promise<Result>) => withStore(databaseUrl, work, () => atMs),
		/** A number that grows by 1 each time the file is rewritten. */
		rewritings: async () => Number(await pragma("schema_version")),
		isSound: async () => (await pragma("integrity_check")) === "ok",
		erase: async () => (await engineOf(databaseUrl)).eraseNames(databaseUrl, () => atMs + 1),
	};
}

function assertGone(file: string, texts: Iterable<string>): void {
	const contents = [file, `${file}-wal`].filter((path) => existsSync(path)).map((path) => readFileSync(path));
	for (const text of texts) for (const content of contents) assert.ok(!content.includes(text), text);
}

const idempotencyKey = (key: unknown) => ({ caller: "a", key: String(key) });

test("sqlite: a removed or replaced name is in no file of a store that a service has open", async (context) => {
	const { file, databaseUrl, newName, withStore, rewritings, erase, isSound } = newFile(context);
	const pets = new Map<bigint, NewPet>();
	await withStore(async (store) => {
		const given = Array.from({ length: 3000 }, (_, number) => ({ name: `Animal ${number}.`, categoryId: 1n }));
		const created = await Promise.all(given.map((pet, key) => store.createPet(pet, idempotencyKey(key))));
		for (const [index, { id }] of created.entries()) pets.set(id, given[index] as NewPet);
	});
	await startProgram(context, { DATABASE_URL: databaseUrl });
	// When rows grow, SQLite splits their pages. The old pages then contain copies of other rows.
	const other = new Database(file);
	other.pragma("secure_delete = ON");
	const rename = other.prepare("UPDATE pets SET name = ? WHERE id = ?");
	const copied: string[] = [];
	for (let first = 1n; copied.length < 5; first++) {
		for (let id = first; id < 3000n; id += 90n) {
			rename.run(newName(), id);
			pets.delete(id);
		}
		other.pragma("wal_checkpoint(TRUNCATE)");
		const bytes = readFileSync(file);
		const isTwice = (text: string) => bytes.indexOf(text) !== bytes.lastIndexOf(text);
		copied.splice(0, copied.length, ...[...pets.values()].map(({ name }) => name).filter(isTwice));
	}
	other.close();
	const edited = [...pets].filter(([, { name }], index) => index % 60 === 0 || copied.includes(name));
	const before = await rewritings();
	await withStore(async (store) => {
		for (const [petId] of edited) {
			const change =
				petId % 2n === 0n ? ({ action: "remove" } as const) : ({ action: "rename", name: newName() } as const);
			assert.equal((await store.edits.apply({ petId, editor, ...change })).outcome, "edited");
			pets.delete(petId);
		}
		const pending = await store.edits.list(0n, 2000);
		assert.deepEqual([pending.length, pending.find(({ erasedAtMs }) => erasedAtMs)], [edited.length, undefined]);
	});
	assert.equal(await erase(), true);
	assert.ok(existsSync(`${file}-wal`), "the service has the WAL open");
	assertGone(
		file,
		edited.flatMap(([id, pet]) => [pet.name, ...(id % 2n === 0n ? [fingerprintOf(pet)] : [])]),
	);
	assert.equal(await rewritings(), before, "only pages were cleared");
	assert.ok(await isSound());
	await withStore(async (store) => {
		const edits = await store.edits.list(0n, 2000);
		assert.ok(edits.every(({ erasedAtMs }) => erasedAtMs === atMs + 1));
		for (const [id, pet] of pets) assert.deepEqual(await readPet(store, id), { id, ...pet });
	});
});

test("sqlite: after any creates, edits and removals no replaced name is left, and all else is", async (context) => {
	const { file, within, newName, withStore, erase, isSound } = newFile(context);
	const pets = new Map<bigint, Pet>();
	const gone: string[] = [];
	let keys = 0;
	const statuses = [undefined, "available", "pending", "sold"] as const;
	const newEdit = (petId: bigint): NewEdit => {
		const kind = within(4);
		if (kind === 0) return { petId, editor, action: "remove" };
		if (kind === 1) return { petId, editor, action: "rename", name: newName() };
		if (kind === 2) return { petId, editor, action: "set-category", categoryId: BigInt(within(9)) };
		return { petId, editor, action: "set-status", status: statuses[within(4)] };
	};
	for (let round = 0; round < 5; round++) {
		await withStore(async (store) => {
			for (let count = within(120); count > 0; count--) {
				const pet = { name: newName(), categoryId: BigInt(within(9)) };
				const { id } = await store.createPet(pet, idempotencyKey(keys++));
				pets.set(id, { id, ...pet });
			}
			for (let count = within(pets.size); count > 0; count--) {
				const [petId, pet] = [...pets][within(pets.size)] as [bigint, Pet];
				const edit = newEdit(petId);
				await store.edits.apply(edit);
				const after = await readPet(store, petId);
				if (replacesName(edit.action)) gone.push(pet.name);
				// A search must not leave the name in a file either.
				await store.findPets({ name: pet.name, limit: 1 });
				if (after) pets.set(petId, after);
				else pets.delete(petId);
			}
		});
		assert.equal(await erase(), true);
		assertGone(file, gone);
		assert.ok(await isSound());
	}
	await withStore(async (store) => {
		const found = await readPets(store, { after: 0n, limit: 10_000 });
		assert.deepEqual(new Map(found.map((pet) => [pet.id, pet])), pets);
	});
});

test("sqlite: remains in a page without rows are erased by rewriting the file, others in place", async (context) => {
	for (const [animals, rewritten] of [
		[0, 1],
		[1, 0],
		[9, 0],
	] as const) {
		const { file, databaseUrl, withStore, rewritings, erase } = newFile(context);
		await withStore(async (store) => {
			for (let count = 0; count <= animals; count++) await store.createPet({ name: `Animal ${count}`, categoryId: 1n });
			await store.edits.apply({ petId: 1n, editor, action: "remove" });
		});
		const bytes = readFileSync(file);
		const [table] = await runSql(databaseUrl, "SELECT rootpage FROM sqlite_schema WHERE name = 'pets'");
		const root = 4096 * (Number(table?.["rootpage"]) - 1);
		const rowsBegin = bytes.readUInt16BE(root + 5);
		bytes.write("Ferdinand", root + rowsBegin - 200);
		bytes.write("the Bull", root + rowsBegin - "the Bull".length);
		writeFileSync(file, bytes);
		const before = await rewritings();
		for (let time = 0; time < 2; time++) assert.equal(await erase(), true);
		assertGone(file, ["Ferdinand", "the Bull"]);
		assert.equal((await rewritings()) - before, rewritten, `${animals} animals`);
	}
});

test("sqlite: while a program reads the WAL, a name is not erased, as the audit log says", async (context) => {
	const { file, databaseUrl, withStore, erase } = newFile(context);
	const { signal } = new AbortController();
	await withStore((store) => store.createPet({ name: "Ferdinand the Bull", categoryId: 1n }));
	const reader = new Database(file);
	context.after(() => reader.close());
	reader.exec("BEGIN");
	reader.prepare("SELECT count(*) FROM pets").get();
	await withStore((store) => store.edits.apply({ petId: 1n, editor, action: "remove" }));
	const edits = () => withStore((store) => store.edits.list(0n, 9));
	assert.equal(await erase(), false);
	assert.ok(readFileSync(file).includes("Ferdinand"), "the reader still needs the name");
	assert.deepEqual(await edits(), [{ id: 1n, atMs, editor, action: "remove", petId: 1n }]);
	const namesToErase = async () => (await verifyStore(databaseUrl, { signal })).namesToErase;
	assert.equal(await namesToErase(), 1);
	reader.exec("COMMIT");
	assert.equal(await erase(), true);
	assertGone(file, ["Ferdinand"]);
	assert.equal(await namesToErase(), 0);
	assert.deepEqual(await edits(), [{ id: 1n, atMs, editor, action: "remove", petId: 1n, erasedAtMs: atMs + 1 }]);
});

/**
 * Where the files of a server's tables have one of the texts: in the unused space of a page, or elsewhere. The databases
 * template1 (1) and template0 (4) are not searched.
 */
function findInTables(folder: string, texts: string[]): Set<"unused" | "used"> {
	const found = new Set<"unused" | "used">();
	const files = readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
		.filter((file) => file.isFile() && !/pg_wal|\/base\/[14]$/.test(file.parentPath))
		.map((file) => readFileSync(join(file.parentPath, file.name)));
	const pageBytes = 8192;
	for (const file of files)
		for (const text of texts)
			for (let at = file.indexOf(text); at >= 0; at = file.indexOf(text, at + 1)) {
				const page = at - (at % pageBytes);
				const isUnused = at - page >= file.readUInt16LE(page + 12) && at - page < file.readUInt16LE(page + 14);
				found.add(isUnused ? "unused" : "used");
			}
	return found;
}

test("postgres: a removed or replaced name is in no catalog, and in files only in unused space", async (context) => {
	const { databaseUrl } = await startPostgresFor(context);
	const sql = (statement: string) => runSql(databaseUrl, statement);
	const [{ folder } = {}] = await sql("SELECT current_setting('data_directory') AS folder");
	const store = await openStore(databaseUrl, () => atMs);
	const petOf = (id: number): NewPet => ({ name: `Animal ${id} 犬 ${"犬".repeat(id % 50)}.`, categoryId: 1n });
	const ids = Array.from({ length: 300 }, (_, index) => index + 1);
	await Promise.all(ids.map((id) => store.createPet(petOf(id), idempotencyKey(id))));
	await sql("ANALYZE"); // Its samples have the names, and no later ANALYZE replaces them.
	// The last row of each page is edited, too, because no other row overwrites its space.
	const lastRows = await sql("SELECT max(id)::integer AS id FROM pets GROUP BY (ctid::text::point)[0]");
	const edited = [...new Set([...ids.filter((id) => id % 20 === 0), ...lastRows.map(({ id }) => Number(id))])];
	for (const [index, id] of edited.entries()) {
		const change = index % 2 ? ({ action: "remove" } as const) : ({ action: "rename", name: `new ${id}` } as const);
		assert.equal((await store.edits.apply({ petId: BigInt(id), editor, ...change })).outcome, "edited");
	}
	await store.close();
	const removed = edited.filter((_, index) => index % 2);
	const texts = [...edited.map((id) => petOf(id).name), ...removed.map((id) => fingerprintOf(petOf(id)))];
	await sql("CHECKPOINT");
	assert.ok(findInTables(String(folder), texts).has("used"), "findInTables finds the names before they are erased");
	assert.equal(await (await engineOf(databaseUrl)).eraseNames(databaseUrl, () => atMs + 1), true);
	await sql("CHECKPOINT");
	const tables = await sql("SELECT oid::regclass::text AS name FROM pg_class WHERE relkind IN ('r', 'm')");
	for (const { name } of tables) {
		const rows = await sql(`SELECT t::text AS row FROM ${name} AS t`);
		for (const { row } of rows) for (const text of texts) assert.ok(!String(row).includes(text), `${name}: ${row}`);
	}
	assert.deepEqual([...findInTables(String(folder), texts)], ["unused"]);
	for (const table of ["pets", "idempotency_keys"]) await sql(`VACUUM FULL ${table}`);
	await sql("CHECKPOINT");
	assert.deepEqual([...findInTables(String(folder), texts)], []);
});

function erasingOf(databaseUrl: string) {
	const failures: string[] = [];
	const background = createBackground((task, error, isFirst) => {
		if (isFirst) failures.push(`${task}: ${(error as Error).message}`);
	});
	return {
		failures,
		erasing: createErasing(background, { ...process.env, BACKUPS_TO: "/b", DATABASE_URL: databaseUrl }, 50),
	};
}

async function storeWithRemoval(context: TestContext) {
	const databaseUrl = temporaryStore(context);
	const store = await openStore(databaseUrl, Date.now);
	context.after(() => store.close());
	await store.createPet({ name: "Rex", categoryId: 1n });
	await store.edits.apply({ petId: 1n, editor: "desk", action: "remove" });
	const erasedAtMs = async () => (await store.edits.ofPet(1n, 1))[0]?.erasedAtMs;
	return { databaseUrl, store, erasedAtMs };
}

test("a failed erasure is reported once with its reason, and tried again until it succeeds", async (context) => {
	const { databaseUrl, store } = await storeWithRemoval(context);
	await store.close();
	const file = databaseUrl.slice("sqlite:".length);
	renameSync(file, `${file}.away`);
	const { failures, erasing } = erasingOf(databaseUrl);
	erasing.start();
	await until("the failure", () => failures.length > 0);
	renameSync(`${file}.away`, file);
	const opened = await openStore(databaseUrl, Date.now);
	await until("the name to be erased", async () => !(await opened.edits.hasNamesToErase()));
	await within("the end of the erasing", erasing.stop());
	await opened.close();
	assert.equal(failures.length, 1);
	assert.match(failures[0] ?? "", /^erase: there is no store at /);
});

test("a stop ends an erasure under way, which is not a failure", async (context) => {
	const { databaseUrl, erasedAtMs } = await storeWithRemoval(context);
	const { failures, erasing } = erasingOf(databaseUrl);
	erasing.start();
	await within("the end of the erasing", erasing.stop());
	assert.deepEqual([failures, await erasedAtMs()], [[], undefined]);
});

test("a name that was left when a service ended is erased after the next start", async (context) => {
	const { databaseUrl, store, erasedAtMs } = await storeWithRemoval(context);
	assert.equal(await store.edits.hasNamesToErase(), true);
	await startProgram(context, { DATABASE_URL: databaseUrl });
	await until("the name to be erased", async () => (await erasedAtMs()) !== undefined);
	assert.equal(await store.edits.hasNamesToErase(), false);
});

test("postgres: a removal that loses the server before the name is erased reports that", async (context) => {
	const { url, query } = await databaseFor(context);
	await withStore(url, (store) => store.createPet({ name: "Trillian", categoryId: 1n }));
	const run = (...parameters: string[]) => runProgram(parameters, { environment: { DATABASE_URL: url } });
	const holder = await connect(context, url);
	await holder.query("BEGIN; LOCK idempotency_keys IN SHARE UPDATE EXCLUSIVE MODE");
	const removing = run("pets", "remove", "1");
	const waiting = "datname = current_database() AND query LIKE 'VACUUM%' AND wait_event_type = 'Lock'";
	const lose = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${waiting}`;
	await until("the erasing to wait", async () => (await query(lose)).length > 0);
	const { code, stdout, stderr } = await removing;
	assert.deepEqual([code, stdout], [1, "animal 1 is removed\n"]);
	assert.match(stderr, /: the old name of animal 1 may still be in the files of the store \(57P01: .*\): run the same/);
	await holder.end();
	assert.equal((await run("pets", "erase-names")).code, 0);
});
