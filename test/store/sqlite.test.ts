// The store suite on SQLite, and tests that only apply to a file.

import assert from "node:assert/strict";
import { chmodSync, copyFileSync, readdirSync, readFileSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import Database from "better-sqlite3";
import { openStore } from "../../src/store/open.ts";
import { isFailedSync, toStoreError, waitForLock } from "../../src/store/sqlite/errors.ts";
import { connect, openSqliteWriter, toRefusal, walMaxBytes } from "../../src/store/sqlite/file.ts";
import { startWriter } from "../../src/store/sqlite/writer.ts";
import { StorageUnavailable } from "../../src/store/store.ts";
import { startRefused } from "../support/program.ts";
import { seed, seededRandom } from "../support/random.ts";
import { temporaryFolder } from "../support/service.ts";
import { runSql } from "../support/sql.ts";
import { readPet, withStore } from "../support/store-reads.ts";
import { until } from "../support/until.ts";
import { damagedCopies } from "./damaged-copies.ts";
import { engines } from "./engines.ts";
import { storeSuite } from "./suite.ts";

storeSuite("sqlite");

const used = join(temporaryFolder({ after }), "used.db");
await withStore(`sqlite:${used}`, async (store) => {
	for (let index = 0; index < 100; index++)
		await store.createPet({ name: `n${index}`, categoryId: 1n }, { caller: "a", key: `${index}` });
	await Promise.all([store.findPets({ name: "n", limit: 1 }), store.categories.list(1)]);
});

/** A closed store with animals, alone in this folder. */
function usedFile(folder: string): string {
	const file = join(folder, "animals.db");
	copyFileSync(used, file);
	return file;
}

test("sqlite: every commit is synced: WAL and synchronous=FULL, and a closed store is one file", async (context) => {
	const folder = temporaryFolder(context);
	const file = usedFile(folder);
	assert.deepEqual(readdirSync(dirname(used)), ["used.db"]);
	const { database: writer } = openSqliteWriter(file);
	context.after(() => writer.close());
	writer.exec("DELETE FROM idempotency_keys WHERE key = '1'");
	const names = ["journal_mode", "synchronous", "busy_timeout", "journal_size_limit"];
	const pragmas = names.map((name) => writer.pragma(name, { simple: true }));
	assert.deepEqual(pragmas, ["wal", 2, 0, walMaxBytes]);
	const version = writer.prepare("SELECT sqlite_version()").pluck().get() as string;
	const [major = 0, minor = 0, patch = 0] = version.split(".").map(Number);
	assert.ok(major * 1e6 + minor * 1e3 + patch > 3_051_002, `SQLite ${version} can corrupt its WAL`);
});

test("sqlite: an acknowledged create is readable, even if its tick has read before the commit", async (context) => {
	const file = join(temporaryFolder(context), "s.db");
	const store = await openStore(`sqlite:${file}`, Date.now);
	context.after(() => store.close());
	const other = new Database(file);
	context.after(() => other.close());
	const last = other.prepare("SELECT coalesce(max(id), 0) FROM pets").pluck();
	const pause = new Int32Array(new SharedArrayBuffer(4));
	for (let id = 1; id <= 5; id++) {
		other.exec("BEGIN IMMEDIATE"); // The writer waits for this lock.
		const created = store.createPet({ name: "a", categoryId: 1n });
		await tick(); // The store sends the batch in this tick.
		// After this, the test runs in a callback of Node's thread pool. The writer's message comes later in the same tick.
		await stat(file);
		const earlier = store.getPet(BigInt(id));
		other.exec("COMMIT");
		for (let waited = 0; Number(last.get()) < id; waited++) {
			assert.ok(waited < 20_000, "the writer did not commit");
			Atomics.wait(pause, 0, 0, 1);
		}
		await created;
		assert.equal((await readPet(store, BigInt(id)))?.id, BigInt(id));
		await earlier;
	}
});

test("sqlite: after a read whose state is unknown, no other of its tick is older", async (context) => {
	const { databaseUrl, open } = await engines.sqlite(context);
	const store = await open();
	await store.createPet({ name: "Rex", categoryId: 1n });
	await store.version();
	await runSql(databaseUrl, "ALTER TABLE edits RENAME TO away");
	const reads = [1, 2].map((limit) => store.listPets({ after: 0n, limit }));
	const outcomes = (await Promise.allSettled(reads)).map(({ status }) => status);
	assert.deepEqual(outcomes, ["rejected", "rejected"]);
	await runSql(databaseUrl, "ALTER TABLE away RENAME TO edits");
	assert.equal((await store.version()).lastId, 1n);
});

test("sqlite: the small write that checks whether writes work leaves the schema's version", async (context) => {
	const { databaseUrl, open } = await engines.sqlite(context);
	let commits = 0;
	const store = await open({ onCommit: () => void commits++ });
	// This changes the version like a program that restores an older backup over the open store.
	await runSql(databaseUrl, "PRAGMA user_version = 4");
	const now = performance.now.bind(performance);
	const late = context.mock.method(performance, "now", () => now() + 60_000);
	store.writeState();
	late.mock.restore();
	await until("the small write", () => commits > 0);
	assert.deepEqual(await runSql(databaseUrl, "PRAGMA user_version"), [{ user_version: 4 }]);
});

test("sqlite: the WAL grows during a long read transaction, and is truncated soon after its end", async (context) => {
	const { databaseUrl, open } = await engines.sqlite(context);
	const store = await open();
	const file = databaseUrl.slice("sqlite:".length);
	await store.createPet({ name: "a", categoryId: 1n });
	const reader = new Database(file, { readonly: true });
	reader.exec("BEGIN");
	const count = reader.prepare("SELECT count(*) FROM pets").pluck();
	assert.equal(count.get(), 1);
	const bytesOfWal = () => statSync(`${file}-wal`).size;
	// Another process adds these animals, as far as the store can see, because that takes less time.
	const made = 40_000;
	const numbers = `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${made})`;
	const columns = "SELECT replace(hex(zeroblob(127)), '0', '🐾'), 1 FROM n";
	await runSql(databaseUrl, `${numbers} INSERT INTO pets (name, category_id) ${columns}`);
	assert.ok(bytesOfWal() > 2 * walMaxBytes, "the WAL grows");
	await store.createPet({ name: "b", categoryId: 1n });
	assert.equal((await store.readUse()).files?.walBytes, bytesOfWal());
	assert.equal(count.get(), 1, "the reader has the old snapshot");
	reader.close();
	await until("the WAL to be truncated", () => bytesOfWal() <= walMaxBytes);
	const { files } = await store.readUse();
	assert.deepEqual([files?.databaseBytes, files?.walBytes], [statSync(file).size, bytesOfWal()]);
	const { bavail, blocks, bsize } = statfsSync(file);
	assert.ok(files && files.diskFreeBytes < files.diskBytes);
	assert.deepEqual([files.diskBytes, Math.round(files.diskFreeBytes / bavail / bsize)], [blocks * bsize, 1]);
	await store.createPet({ name: "c", categoryId: 1n });
	assert.deepEqual(await runSql(databaseUrl, "SELECT count(*) AS pets FROM pets"), [{ pets: made + 2 }]);
});

test("sqlite: a file's schema computes nothing with side effects, and is no table to write", (context) => {
	using database = connect(usedFile(temporaryFolder(context)));
	assert.equal(database.pragma("trusted_schema", { simple: true }), 0);
	database.pragma("writable_schema = ON");
	assert.throws(() => database.exec("UPDATE sqlite_schema SET sql = sql"), /may not be modified/);
});

test("sqlite: a file that is not an animal store is refused with one sentence, and not changed", async (context) => {
	const folder = temporaryFolder(context);
	const rows = [...damagedCopies(usedFile(folder)), [folder, /is a directory: name a file/] as const];
	for (const [file, said] of rows) {
		const before = file === folder ? undefined : readFileSync(file);
		const refusal = await openStore(`sqlite:${file}`, Date.now).catch((error) => error);
		assert.match(String(refusal), said);
		assert.match(String(refusal), /^StoreRefused: [^\n]+$/, "one sentence");
		if (before) assert.deepEqual(readFileSync(file), before);
	}
});

test("sqlite: a flipped bit in the schema's text is refused, and the file is not changed", async (context) => {
	const folder = temporaryFolder(context);
	const file = usedFile(folder);
	const database = new Database(file, { readonly: true });
	const texts = database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL").pluck().all() as string[];
	database.close();
	const bytes = readFileSync(file);
	const random = seededRandom(seed);
	const refuses = (position: number, bit: number) => {
		const copy = Buffer.from(bytes);
		copy.writeUInt8(copy.readUInt8(position) ^ bit, position);
		const flipped = join(folder, "flipped.db");
		writeFileSync(flipped, copy);
		const what = `bit ${bit} of byte ${position}`;
		assert.throws(() => openSqliteWriter(flipped).database.close(), { name: "StoreRefused" }, what);
		assert.ok(readFileSync(flipped).equals(copy), what);
	};
	// The last, because the first page keeps a copy of what was moved to other pages.
	refuses(bytes.lastIndexOf("revoked_at_ms"), 2);
	// Only one of every eight bytes is changed, because each check takes milliseconds.
	let flips = 0;
	for (const text of texts) {
		const start = bytes.lastIndexOf(text);
		assert.ok(start > 0, text);
		for (let at = 0; at < Buffer.byteLength(text); at += 8, flips++)
			refuses(start + at + Math.floor(random() * Math.min(8, text.length - at)), 1 << Math.floor(random() * 8));
	}
	assert.ok(flips > 125, `${flips} flips`);
});

test("sqlite: a start is reported as slow after a second, and only then", async (context) => {
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const file = join(temporaryFolder(context), "s.db");
	const notices: string[] = [];
	for (const ms of [1000, 1000, 999]) {
		const onNotice = (text: string) => void notices.push(text.split(":")[0] ?? "");
		const starting = startWriter({ file, onFatal() {}, onNotice });
		context.mock.timers.tick(ms);
		const writer = await starting;
		context.mock.timers.tick(1000);
		await writer.close();
	}
	assert.deepEqual(notices, [`creating ${file} is slow`, `opening ${file} is slow`]);
});

test("sqlite: errors that waiting may cure become StorageUnavailable; a failed sync is its own", () => {
	const temporary = "FULL IOERR_WRITE BUSY_SNAPSHOT LOCKED READONLY CANTOPEN NOMEM CORRUPT_VTAB NOTADB";
	const errorOf = (code: string) => Object.assign(new Error("refused"), { code: `SQLITE_${code}` });
	for (const code of temporary.split(" ")) assert.ok(toStoreError(errorOf(code)) instanceof StorageUnavailable, code);
	for (const bug of ["ERROR", "CONSTRAINT_UNIQUE", "MISUSE"].map(errorOf)) assert.equal(toStoreError(bug), bug);
	const syncs = ["IOERR_FSYNC", "IOERR_DIR_FSYNC", "IOERR_WRITE", "FULL"].map((code) => isFailedSync(errorOf(code)));
	assert.deepEqual(syncs, [true, true, false, false]);
	for (const code of ["ENOSPC", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"])
		assert.match(toRefusal("a.db", { code }).message, /^the disk is too full for a\.db: free some space/);
	for (const code of ["SQLITE_NOTADB", "SQLITE_CORRUPT_INDEX", "SQLITE_IOERR_SHORT_READ"])
		assert.match(toRefusal("a.db", { code }).message, /^a\.db is damaged: restore a backup/, code);
	for (const code of "EACCES EPERM EROFS ENOTDIR EEXIST SQLITE_READONLY SQLITE_CANTOPEN".split(" "))
		assert.match(toRefusal("a.db", { code }).message, /^cannot write a\.db or its folder: check the permissions/, code);
});

test("sqlite: a lock is waited for as long as a create may wait, from 100 ms to 5 s", (context) => {
	let nowMs = 0;
	context.mock.method(performance, "now", () => nowMs);
	const refusedAfter = (maxMs: number, code = "SQLITE_BUSY") => {
		nowMs = 0;
		const transaction = () => {
			nowMs += 50;
			throw Object.assign(new Error("refused"), { code });
		};
		assert.throws(() => waitForLock(transaction, maxMs), { code });
		return nowMs;
	};
	const waits = [10, 1000, Infinity].map((maxMs) => refusedAfter(maxMs));
	assert.deepEqual(waits, [100, 1000, 5000]);
	assert.equal(refusedAfter(1000, "SQLITE_FULL"), 50, "only a lock");
});

test("sqlite: a locked or read-only file is refused", async (context) => {
	const folder = temporaryFolder(context);
	const file = usedFile(folder);
	const environment = { DATABASE_URL: `sqlite:${file}` };
	const other = new Database(file);
	other.pragma("locking_mode = EXCLUSIVE");
	other.exec("BEGIN EXCLUSIVE");
	await assert.rejects(openStore(environment.DATABASE_URL, Date.now), /is locked by another program: stop it/);
	other.exec("ROLLBACK");
	other.close();
	chmodSync(file, 0o444);
	// Root can write to every file unless it drops this capability.
	const under = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override"] : [];
	const before = readFileSync(file);
	await startRefused(environment, /cannot write .*: check the permissions/, { under });
	assert.deepEqual(readFileSync(file), before);
});
