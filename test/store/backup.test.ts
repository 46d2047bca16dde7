// `animal-store backup` and `animal-store restore`: a backup is complete and on disk, or does not exist. A restore
// gives the store at the time of the backup, whatever file it replaces.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
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
import { withStore } from "../support/store-reads.ts";
import { until, within } from "../support/until.ts";
import { damagedCopies, damagedInside, editedCopy } from "./damaged-copies.ts";
import { recordFileCalls } from "./file-calls.ts";
import { startStoreProcess } from "./process.ts";

const never = new AbortController().signal;

/** A store with this many animals, and a function that runs commands on it. */
async function someStore(context: TestContext, animals = 20) {
	const folder = temporaryFolder(context);
	const path = (name: string) => join(folder, name);
	const url = `sqlite:${path("s.db")}`;
	await addTo(url, animals);
	const run = (...parameters: string[]) => call(parameters, { environment: { DATABASE_URL: url } });
	return { folder, path, url, run };
}

const addTo = (url: string, animals: number) =>
	withStore(url, (store) =>
		Promise.all(Array.from({ length: animals }, (_, n) => store.createPet({ name: `n${n}`, categoryId: 1n }))),
	);

/** The names of a folder's files, without the empty WAL that reading a store creates. */
function namesIn(folder: string): string[] {
	return readdirSync(folder)
		.filter((name) => !/^s\.db-(wal|shm)$/.test(name))
		.sort();
}

const countIn = async (file: string) => (await verifyStore(`sqlite:${file}`, { signal: never })).animals;

test("a backup that would fill its disk is refused before it writes, and names what it needs", async (context) => {
	const { path, run } = await someStore(context);
	const free = context.mock.method(fs, "statfsSync", () => ({ bavail: 64 * 256, bsize: 4096 }));
	syncBuiltinESMExports();
	const { code, stderr } = await run("backup", path("b.db"));
	free.mock.restore();
	syncBuiltinESMExports();
	assert.equal(code, 1);
	assert.match(stderr, /^animal-store: \/.* has 64 MiB free, and a backup needs 65: free some, or use another disk\n$/);
	assert.deepEqual(readdirSync(path("")), ["s.db"]);
	assert.equal((await run("backup", path("b.db"))).code, 0);
});

test("a backup ends, and leaves no file, when others fill its disk meanwhile", async (context) => {
	const { folder, path, run } = await someStore(context);
	let looks = 0;
	const free = context.mock.method(fs, "statfsSync", () => ({ bavail: looks++ > 0 ? 0 : 2 ** 20, bsize: 4096 }));
	syncBuiltinESMExports();
	const { code, stderr } = await run("backup", path("b.db"));
	free.mock.restore();
	syncBuiltinESMExports();
	assert.equal(code, 1);
	assert.match(stderr, /^animal-store: \/.* has 0 MiB free, and a backup needs 6\d: .*\n$/);
	assert.deepEqual(namesIn(folder), ["s.db"]);
});

test("a backup made under load restores over a crashed store, whose old WAL is never replayed", async (context) => {
	const newFolder = () => temporaryFolder(context);
	const proven = await proveRestores({ rounds: 1, seed, context, newFolder });
	assert.ok(proven.restored >= 30 && proven.later > 0, JSON.stringify(proven));
});

test("a backup has the store as it was when the backup began, whatever is written meanwhile", async (context) => {
	const folder = temporaryFolder(context);
	const [file, copy] = [join(folder, "s.db"), join(folder, "b.db")];
	const store = await openStore(`sqlite:${file}`, Date.now);
	context.after(() => store.close());
	const name = "x".repeat(255);
	await Promise.all(Array.from({ length: 5000 }, () => store.createPet({ name, categoryId: 1n })));
	const writer = new Database(file);
	context.after(() => writer.close());
	const add = writer.prepare("INSERT INTO pets (name, category_id) VALUES ('late', 1)");
	let added = 0;
	const onProgress = () => {
		if (added < 3) added += add.run().changes;
	};
	assert.equal(await backupStore(`sqlite:${file}`, copy, { signal: never, onProgress }), 5000);
	assert.ok(added > 0, "animals were added during the backup");
});

test("a store killed after its first opening is not taken for a backup next to an old WAL", async (context) => {
	const { path, run } = await someStore(context);
	await run("backup", path("b.db"));
	const killed = startStoreProcess(context, `sqlite:${path("b.db")}`);
	for (const task of ["open", "die"] as const) await killed(task);
	assert.ok(existsSync(path("b.db-wal")), "there is a WAL");
	await addTo(`sqlite:${path("b.db")}`, 5);
	assert.equal(await backupStore(`sqlite:${path("b.db")}`, path("c.db"), { signal: never }), 25, "a backup is a store");
	assert.equal(await countIn(path("c.db")), 25);
});

test("a backup is synced before it gets its name, and its name is synced before the command ends", async (context) => {
	const { path, folder } = await someStore(context);
	const { calls, fail } = recordFileCalls(context);
	await backupStore(`sqlite:${path("s.db")}`, path("b.db"), { signal: never });
	assert.deepEqual(calls, ["sync b.db.new", "link b.db.new b.db", `sync ${basename(folder)}`]);
	fail("sync", "EIO");
	await assert.rejects(backupStore(`sqlite:${path("s.db")}`, path("c.db"), { signal: never }), {
		name: "StoreRefused",
	});
	fail("link", "EPERM");
	await assert.rejects(
		backupStore(`sqlite:${path("s.db")}`, path("c.db"), { signal: never }),
		/its file system has no hard links \(EPERM\): use another one/,
	);
	assert.deepEqual(namesIn(folder), ["b.db", "s.db"], "failed backups left nothing");
});

test("a backup without the animals and ids of its snapshot is refused, and leaves no file", async (context) => {
	const { folder, path } = await someStore(context);
	const { backup } = Database.prototype;
	let loss = "DELETE FROM pets WHERE id = 3";
	context.mock.method(Database.prototype, "backup", async function (this: Database.Database, to: string) {
		const result = await backup.call(this, to);
		const copy = new Database(to);
		copy.exec(loss);
		copy.close();
		return result;
	});
	const make = () => backupStore(`sqlite:${path("s.db")}`, path("backup.db"), { signal: never });
	for (loss of [loss, "DELETE FROM pets WHERE id = 20", "UPDATE sqlite_sequence SET seq = 19 WHERE name = 'pets'"])
		await assert.rejects(make(), { name: "StoreRefused", message: /^the copy of .* is not complete: try again$/ });
	assert.deepEqual(namesIn(folder), ["s.db"]);
	loss = "";
	assert.equal(await make(), 20);
});

test("an interrupted backup leaves no file; the next removes the files of a killed backup", async (context) => {
	const { url, path, folder } = await someStore(context);
	const database = new Database(path("s.db"));
	database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
		INSERT INTO pets (name, category_id) SELECT hex(zeroblob(2500)), 1 FROM n`);
	database.close();
	const drafts = () => readdirSync(folder).filter((name) => name.includes(".new"));
	for (const signal of ["SIGTERM", "SIGKILL"] as const) {
		const backup = begin(["backup", path("b.db")], { environment: { DATABASE_URL: url } });
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
	await backupStore(url, path("b.db"), { signal: never });
	assert.deepEqual(namesIn(folder), ["b.db", "s.db"]);
});

test("a backup or restore that is not possible is refused in one sentence that names its file", async (context) => {
	const { path, url } = await someStore(context);
	writeFileSync(path("there"), "mine");
	// Root can write everywhere except to the kernel's own file systems.
	const unwritable = process.getuid?.() === 0 ? "/sys" : path("locked");
	if (unwritable !== "/sys") mkdirSync(unwritable, 0o500);
	const elsewhere = (url: string) => ["backup", path("b.db"), "--database-url", url];
	// The messages blame the command's own file, not DATABASE_URL.
	const cannotWrite =
		/^animal-store: cannot write .*\/[br]\.db or its folder: check the permissions, or name another .*\n$/;
	const rows: [parameters: string[], said: RegExp][] = [
		[["backup", path("there")], /^animal-store: .*there already exists: name a new file\n$/],
		[["backup", join(path("none"), "b.db")], /^animal-store: .*b\.db: its folder does not exist\n$/],
		[["backup", "/etc/passwd/b.db"], /^animal-store: cannot write .*b\.db: its folder does not exist\n$/],
		[["backup", join(unwritable, "b.db")], cannotWrite],
		[["restore", path("s.db"), "--to", join(unwritable, "r.db")], cannotWrite],
		[
			["restore", path("s.db"), "--to", path("there")],
			/there already exists: name another .* with --to, or .* --force\n$/,
		],
		[["restore", path("there"), "--to", path("r.db")], /^animal-store: .*there is not an .* or name another file\n$/],
		[elsewhere(`sqlite:${path("none.db")}`), /^animal-store: there is no store at .*none\.db: fix DATABASE_URL.*\n$/],
		[elsewhere("postgres://a/b"), /^animal-store: .*: use pg_dump .*\n$/],
		[["restore", path("s.db"), "--to", "postgres://u:secret@h/d"], /^animal-store: a URL is no file: name a file\n$/],
		[["verify", "postgres://u:secret@h/d"], /^animal-store: a URL is no file: name a file\n$/],
	];
	await assertRefused(rows, { environment: { DATABASE_URL: url } });
	assert.equal(readFileSync(path("there"), "utf8"), "mine");
});

test("a restore does not replace a store that a service has open, even if the service is idle", async (context) => {
	const { url, path, run } = await someStore(context);
	await run("backup", path("b.db"));
	await addTo(url, 1);
	const service = await startProgram(context, { DATABASE_URL: url });
	const { code, stderr } = await run("restore", path("b.db"), "--force");
	assert.deepEqual([code, stderr], [1, `animal-store: ${path("s.db")} is in use: stop the service, then restore\n`]);
	assert.equal((await ask(`${service.url}/readyz`)).status, 200);
	assert.equal((await service.stop()).code, 0);
	assert.equal(await countIn(path("s.db")), 21);
	assert.equal((await run("restore", path("b.db"), "--force")).code, 0);
	assert.equal(await countIn(path("s.db")), 20);
});

test("a restore replaces a damaged or missing store, or one next to an old WAL", async (context) => {
	const { url, path, folder, run } = await someStore(context);
	await run("backup", path("b.db"));
	const restored = { force: true, signal: never };
	writeFileSync(path("s.db"), "damaged");
	await restoreStore(path("b.db"), url, restored);
	assert.equal(await countIn(path("s.db")), 20);
	rmSync(path("s.db"));
	writeFileSync(path("s.db-wal"), "the WAL of another store after a crash");
	const missing = /s\.db is missing, but its WAL .*s\.db-wal exists: restore a backup, or remove the WAL/;
	await assert.rejects(openStore(url, Date.now), missing);
	assert.ok(!readdirSync(folder).includes("s.db"), "no store is created next to the WAL");
	renameSync(path("b.db"), path("s.db"));
	await assert.rejects(openStore(url, Date.now), /s\.db is a backup next to the WAL of another store/);
	renameSync(path("s.db"), path("b.db"));
	await restoreStore(path("b.db"), url, { ...restored, force: false });
	assert.deepEqual(readdirSync(folder).sort(), ["b.db", "s.db"]);
	assert.equal(await countIn(path("s.db")), 20);
});

test("a restored store is synced before it replaces the old one, and the old WAL is removed last", async (context) => {
	const { url, path, folder } = await someStore(context);
	await backupStore(url, path("b.db"), { signal: never });
	const { calls, fail } = recordFileCalls(context);
	await restoreStore(path("b.db"), url, { force: true, signal: never });
	const place = basename(folder);
	assert.deepEqual(calls, [
		"link s.db s.db.new-locked",
		"sync s.db.new",
		"rename s.db.new s.db",
		`sync ${place}`,
		`sync ${place}`,
	]);
	await addTo(url, 1);
	fail("sync", "EIO");
	await assert.rejects(restoreStore(path("b.db"), url, { force: true, signal: never }), { name: "StoreRefused" });
	assert.equal(await countIn(path("s.db")), 21, "the store is unchanged");
	assert.deepEqual(namesIn(folder), ["b.db", "s.db"]);
});

test("an invalid backup is refused with one sentence, and the store is not changed", async (context) => {
	const { path, url, run, folder } = await someStore(context);
	await run("backup", path("b.db"));
	const before = readFileSync(path("s.db"));
	const rows: [parameters: string[], said: RegExp][] = [
		...[...damagedCopies(path("b.db")), ...damagedInside(path("b.db"))].map(([copy, said]): [string[], RegExp] => [
			[copy],
			said,
		]),
		[
			[editedCopy(path("b.db"), "later", "INSERT OR REPLACE INTO settings VALUES ('applied_schema', x'3939')")],
			/was migrated by a newer animal-store: restore it with that version/,
		],
		[[path("none.db")], /there is no backup at .*none\.db: name an existing file/],
		[[path("s.db")], /is the file to restore to: move it to another name/],
		[[path("b.db"), "--to", folder], /is a directory: name a file/],
		[[path("b.db"), "--database-url", "postgres://a/b"], /use pg_restore/],
	];
	const commands = rows.map(([parameters, { source }]): [string[], RegExp] => [
		["restore", ...parameters, "--force"],
		new RegExp(`^animal-store: .*${source}.*\n$`),
	]);
	await assertRefused(commands, { environment: { DATABASE_URL: url } });
	assert.ok(readFileSync(path("s.db")).equals(before));
	const drafts = readdirSync(folder).filter((name) => name.includes(".new"));
	assert.deepEqual(drafts, []);
	assert.equal(await restoreStore(path("b.db"), url, { force: true, signal: never }), 20);
});
