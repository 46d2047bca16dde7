// `animal-store backup` and `animal-store restore`: a backup is complete and on disk, or does not exist. A restore
// gives the store at the time of the backup, whatever file it replaces.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs, { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { backupStore, restoreStore } from "../../src/cli/maintenance/backup.ts";
import { verifyStore } from "../../src/cli/maintenance/verify.ts";
import { openStore } from "../../src/store/open.ts";
import { proveRestores } from "../proofs/restore.ts";
import { ask } from "../support/caller.ts";
import { assertRefused, call } from "../support/command.ts";
import { begin, startProgram } from "../support/program.ts";
import { seed } from "../support/random.ts";
import { temporaryFolder } from "../support/service.ts";
import { runSql } from "../support/sql.ts";
import { withStore } from "../support/store-reads.ts";
import { until, within } from "../support/until.ts";
import { damagedCopies, damagedInside, editedCopy } from "./damaged-copies.ts";
import { applyMocks, recordFileCalls } from "./file-calls.ts";
import { startStoreProcess } from "./process.ts";

const never = new AbortController().signal;

/** A store with this many animals, and functions that run commands on it, back it up and restore it. */
async function someStore(context: TestContext, animals = 20) {
	const folder = temporaryFolder(context);
	const path = (name: string) => join(folder, name);
	const url = `sqlite:${path("s.db")}`;
	await addTo(url, animals);
	const environment = { DATABASE_URL: url };
	const run = (...parameters: string[]) => call(parameters, { environment });
	const backUp = (name: string) => backupStore(url, path(name), { signal: never });
	const restore = (name: string, force = true) => restoreStore(path(name), url, { force, signal: never });
	return { folder, path, url, environment, run, backUp, restore };
}

const addTo = (url: string, animals: number) =>
	withStore(url, (store) =>
		Promise.all(Array.from({ length: animals }, () => store.createPet({ name: "x".repeat(255), categoryId: 1n }))),
	);

/** The names of a folder's files, without the empty WAL that reading a store creates. */
function namesIn(folder: string): string[] {
	const names = readdirSync(folder).sort();
	return names.filter((name) => !/^s\.db-(wal|shm)$/.test(name));
}

const countIn = async (file: string) => (await verifyStore(`sqlite:${file}`, { signal: never })).animals;

test("a backup is refused if it would fill its disk, and ends without a file if others fill it", async (context) => {
	const { folder, path, url, environment, backUp } = await someStore(context);
	/** The free blocks at each look; later ones find none. */
	let free = [64 * 256];
	const look = () => ({ bavail: free.shift() ?? 0, bfree: 2 ** 30, blocks: 2 ** 31, bsize: 4096 });
	context.mock.method(fs, "statfsSync", look);
	applyMocks(context);
	const command = ["backup", path("b.db")];
	const full = /^animal-store: \/.* has 64 MiB free, and a backup needs 70: free some, or use another disk\n$/;
	writeFileSync(path("s.db-wal"), Buffer.alloc(5 * 2 ** 20));
	await assertRefused([[command, full]], { environment });
	rmSync(path("s.db-wal"));
	assert.deepEqual(readdirSync(folder), ["s.db"]);
	const many =
		"INSERT INTO pets (name, category_id) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)";
	await runSql(url, `${many} SELECT printf('%0255d', i), 1 FROM n`);
	const enough = 4096 * 256;
	// Only at the second look, when the first pages are written, there is too little, for the rest.
	free = [enough, 65 * 256, ...Array(99).fill(enough)];
	const filled = /^animal-store: \/.* has 65 MiB free, and a backup needs [78]\d: .*\n$/;
	await assertRefused([[command, filled]], { environment });
	assert.deepEqual(namesIn(folder), ["s.db"]);
	free = Array(99).fill(enough);
	assert.equal(await backUp("b.db"), 60_020);
	free = [7];
	const figures = await withStore(url, (store) => store.readUse());
	assert.deepEqual([figures.files?.diskFreeBytes, figures.files?.diskBytes], [7 * 4096, 2 ** 43]);
});

test("a backup made under load restores over a crashed store, whose old WAL is never replayed", async (context) => {
	const newFolder = () => temporaryFolder(context);
	const proven = await proveRestores({ rounds: 1, seed, context, newFolder });
	assert.ok(proven.restored >= 30 && proven.later > 0, JSON.stringify(proven));
});

test("a backup has the store as it was when the backup began, whatever is written meanwhile", async (context) => {
	const { path, url } = await someStore(context, 5000);
	const writer = new Database(path("s.db"));
	context.after(() => writer.close());
	const add = writer.prepare("INSERT INTO pets (name, category_id) VALUES ('late', 1)");
	let added = 0;
	const onProgress = () => {
		if (added < 3) added += add.run().changes;
	};
	assert.equal(await backupStore(url, path("b.db"), { signal: never, onProgress }), 5000);
	assert.ok(added > 0, "animals were added during the backup");
});

test("a store killed after its first opening is not taken for a backup next to an old WAL", async (context) => {
	const { folder, path, backUp } = await someStore(context);
	await backUp("b.db");
	const backup = `sqlite:${path("b.db")}`;
	const killed = startStoreProcess(context, backup);
	for (const task of ["open", "die"] as const) await killed(task);
	assert.ok(readdirSync(folder).includes("b.db-wal"), "there is a WAL");
	await addTo(backup, 5);
	assert.equal(await backupStore(backup, path("c.db"), { signal: never }), 25, "a backup is a store");
	assert.equal(await countIn(path("c.db")), 25);
});

test("a backup is synced before it gets its name, and its name is synced before the command ends", async (context) => {
	const { folder, backUp } = await someStore(context);
	const { calls, fail } = recordFileCalls(context);
	await backUp("b.db");
	assert.deepEqual(calls, ["sync b.db.new", "link b.db.new b.db", `sync ${basename(folder)}`]);
	fail("sync", "EIO");
	await assert.rejects(backUp("c.db"), { name: "StoreRefused" });
	fail("link", "EPERM");
	await assert.rejects(backUp("c.db"), /its file system has no hard links \(EPERM\): use another one/);
	assert.deepEqual(namesIn(folder), ["b.db", "s.db"], "failed backups left nothing");
});

test("a backup without the animals and ids of its snapshot is refused, and leaves no file", async (context) => {
	const { folder, backUp } = await someStore(context);
	const { backup } = Database.prototype;
	let loss = "DELETE FROM pets WHERE id = 3";
	context.mock.method(Database.prototype, "backup", async function (this: Database.Database, to: string) {
		const result = await backup.call(this, to);
		const copy = new Database(to);
		copy.exec(loss);
		copy.close();
		return result;
	});
	const refusal = { name: "StoreRefused", message: /^the copy of .* is not complete: try again$/ };
	for (loss of [loss, "DELETE FROM pets WHERE id = 20", "UPDATE sqlite_sequence SET seq = 19 WHERE name = 'pets'"])
		await assert.rejects(backUp("b.db"), refusal);
	assert.deepEqual(namesIn(folder), ["s.db"]);
	loss = "";
	assert.equal(await backUp("b.db"), 20);
});

test("an interrupted backup leaves no file; the next removes the files of a killed backup", async (context) => {
	const { url, path, folder, environment, backUp } = await someStore(context);
	const numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)";
	await runSql(url, `${numbers} INSERT INTO pets (name, category_id) SELECT hex(zeroblob(2500)), 1 FROM n`);
	const drafts = () => readdirSync(folder).filter((name) => name.includes(".new"));
	for (const signal of ["SIGTERM", "SIGKILL"] as const) {
		const backup = begin(["backup", path("b.db")], { environment });
		await until("the copy to begin", () => drafts().length > 0, { everyMs: 0 });
		backup.child.kill(signal);
		const { code, stderr } = await within("the backup to end", backup.finished);
		assert.ok(!readdirSync(folder).includes("b.db"));
		if (signal === "SIGKILL") continue;
		assert.deepEqual([code, stderr], [130, "animal-store: interrupted: no backup was made\n"]);
		assert.deepEqual(drafts(), []);
	}
	// Drafts like those that a power loss leaves behind. Their names have the id of a process that has ended.
	const { pid } = spawnSync("true");
	for (const suffix of ["", "-journal"]) writeFileSync(path(`b.db.${pid}-0.new${suffix}`), "half a backup");
	await backUp("b.db");
	assert.deepEqual(namesIn(folder), ["b.db", "s.db"]);
});

test("a backup or restore that is not possible is refused in one sentence that names its file", async (context) => {
	const { path, environment } = await someStore(context);
	writeFileSync(path("there"), "mine");
	// Root can write everywhere except to the kernel's own file systems.
	const unwritable = process.getuid?.() === 0 ? "/sys" : path("locked");
	if (unwritable !== "/sys") mkdirSync(unwritable, 0o500);
	const elsewhere = (url: string) => ["backup", path("b.db"), "--database-url", url];
	// The messages blame the command's own file, not DATABASE_URL.
	const cannotWrite = /^animal-store: cannot write .*\/[br]\.db or its folder: check the permissions, or name .*\n$/;
	const isThere = /there already exists: name another .* with --to, or .* --force\n$/;
	const rows: [parameters: string[], said: RegExp][] = [
		[["backup", path("there")], /^animal-store: .*there already exists: name a new file\n$/],
		[["backup", join(path("none"), "b.db")], /^animal-store: .*b\.db: its folder does not exist\n$/],
		[["backup", "/etc/passwd/b.db"], /^animal-store: cannot write .*b\.db: its folder does not exist\n$/],
		[["backup", join(unwritable, "b.db")], cannotWrite],
		[["restore", path("s.db"), "--to", join(unwritable, "r.db")], cannotWrite],
		[["restore", path("s.db"), "--to", path("there")], isThere],
		[["restore", path("there"), "--to", path("r.db")], /^animal-store: .*there is not an .* or name another file\n$/],
		[elsewhere(`sqlite:${path("none.db")}`), /^animal-store: there is no store at .*none\.db: fix DATABASE_URL.*\n$/],
		[elsewhere("postgres://a/b"), /^animal-store: .*: use pg_dump .*\n$/],
		[["restore", path("s.db"), "--to", "postgres://u:secret@h/d"], /^animal-store: a URL is no file: name a file\n$/],
		[["verify", "postgres://u:secret@h/d"], /^animal-store: a URL is no file: name a file\n$/],
	];
	await assertRefused(rows, { environment });
	assert.equal(readFileSync(path("there"), "utf8"), "mine");
});

test("a restore does not replace a store that a service has open, even if the service is idle", async (context) => {
	const { url, path, environment, run, backUp } = await someStore(context);
	await backUp("b.db");
	await addTo(url, 1);
	const service = await startProgram(context, environment);
	const { code, stderr } = await run("restore", path("b.db"), "--force");
	assert.deepEqual([code, stderr], [1, `animal-store: ${path("s.db")} is in use: stop the service, then restore\n`]);
	assert.equal((await ask(`${service.url}/readyz`)).status, 200);
	assert.equal((await service.stop()).code, 0);
	assert.equal(await countIn(path("s.db")), 21);
	assert.equal((await run("restore", path("b.db"), "--force")).code, 0);
	assert.equal(await countIn(path("s.db")), 20);
});

test("a restore replaces a damaged or missing store, or one next to an old WAL", async (context) => {
	const { url, path, folder, backUp, restore } = await someStore(context);
	await backUp("b.db");
	writeFileSync(path("s.db"), "damaged");
	await restore("b.db");
	assert.equal(await countIn(path("s.db")), 20);
	rmSync(path("s.db"));
	writeFileSync(path("s.db-wal"), "the WAL of another store after a crash");
	const missing = /s\.db is missing, but its WAL .*s\.db-wal exists: restore a backup, or remove the WAL/;
	await assert.rejects(openStore(url, Date.now), missing);
	assert.ok(!readdirSync(folder).includes("s.db"), "no store is created next to the WAL");
	renameSync(path("b.db"), path("s.db"));
	await assert.rejects(openStore(url, Date.now), /s\.db is a backup next to the WAL of another store/);
	renameSync(path("s.db"), path("b.db"));
	writeFileSync(path("s.db-journal"), "the journal of another store after a crash");
	await restore("b.db", false);
	assert.deepEqual(readdirSync(folder).sort(), ["b.db", "s.db"]);
	assert.equal(await countIn(path("s.db")), 20);
	await addTo(url, 1);
	symlinkSync("s.db", path("link.db"));
	await restoreStore(path("b.db"), `sqlite:${path("link.db")}`, { force: true, signal: never });
	assert.equal(await countIn(path("s.db")), 20, "the target of a link is replaced, not the link");
});

test("a restored store is synced before it replaces the old one, and the old WAL is removed last", async (context) => {
	const { url, path, folder, backUp, restore } = await someStore(context);
	await backUp("b.db");
	const { calls, fail } = recordFileCalls(context);
	await restore("b.db");
	const syncOfFolder = `sync ${basename(folder)}`;
	const steps = ["link s.db s.db.new-locked", "sync s.db.new", "rename s.db.new s.db"];
	assert.deepEqual(calls, [...steps, syncOfFolder, syncOfFolder]);
	await addTo(url, 1);
	fail("sync", "EIO");
	await assert.rejects(restore("b.db"), { name: "StoreRefused" });
	assert.equal(await countIn(path("s.db")), 21, "the store is unchanged");
	assert.deepEqual(namesIn(folder), ["b.db", "s.db"]);
});

test("an invalid backup is refused with one sentence, and the store is not changed", async (context) => {
	const { path, environment, folder, backUp, restore } = await someStore(context);
	await backUp("b.db");
	const before = readFileSync(path("s.db"));
	const later = "INSERT OR REPLACE INTO settings VALUES ('applied_schema', x'3939')";
	const rows: [file: string, said: RegExp, ...more: string[]][] = [
		...damagedCopies(path("b.db")),
		...damagedInside(path("b.db")),
		[editedCopy(path("b.db"), "later", later), /was migrated by a newer animal-store: restore it with that version/],
		[path("none.db"), /there is no backup at .*none\.db: name an existing file/],
		[path("s.db"), /is both the backup and the target: rename it/],
		[path("b.db"), /is a directory: name a file/, "--to", folder],
		[path("b.db"), /use pg_restore/, "--database-url", "postgres://a/b"],
	];
	const commands = rows.map(([file, { source }, ...more]): [string[], RegExp] => [
		["restore", file, ...more, "--force"],
		new RegExp(`^animal-store: .*${source}.*\n$`),
	]);
	await assertRefused(commands, { environment });
	assert.ok(readFileSync(path("s.db")).equals(before));
	assert.ok(!readdirSync(folder).join().includes(".new"), "no draft is left");
	assert.equal(await restore("b.db"), 20);
});
