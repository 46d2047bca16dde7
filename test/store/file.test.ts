// A store's file is created atomically, with the right permissions, and only by some commands.

import assert from "node:assert/strict";
import fs, { existsSync, mkdirSync, readdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { openSqliteWriter } from "../../src/store/sqlite/file.ts";
import { assertRefused, call, callWell } from "../support/command.ts";
import { databaseFor } from "../support/postgres.ts";
import { begin, runProgram, startProgram, startRefused } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { withStore } from "../support/store-reads.ts";
import { until } from "../support/until.ts";
import { applyMocks, recordFileCalls } from "./file-calls.ts";

test("sqlite: a new store and its folder are synced before the store gets its name", (context) => {
	const folder = temporaryFolder(context);
	context.mock.method(process, "cwd", () => folder);
	const { calls, opened, fail } = recordFileCalls(context);
	const { database, isNew } = openSqliteWriter(join(folder, "data", "s.db"));
	context.after(() => database.close());
	assert.ok(isNew);
	assert.deepEqual(calls, [`sync ${basename(folder)}`, "sync s.db.new", "link s.db.new s.db", "sync data"]);
	for (const code of ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]) {
		fail("link", code);
		const noLinks = new RegExp(`t\\.db: its file system has no hard links \\(${code}\\): use another one$`);
		assert.throws(() => openSqliteWriter(join(folder, "t.db")), noLinks);
	}
	const ofOther = join(folder, "data", "s.db.4194305-0.new");
	const ofEarlier = join(folder, "data", `s.db.${process.pid}-0.new`); // In a container, each start has process id 1.
	for (const path of [ofOther, ofEarlier]) writeFileSync(path, "half a draft");
	context.mock.method(process, "kill", () => {
		throw Object.assign(new Error("a process of another user"), { code: "EPERM" });
	});
	openSqliteWriter(join(folder, "data", "s.db")).database.close();
	assert.deepEqual([existsSync(ofOther), existsSync(ofEarlier)], [true, false], "the process of the first still runs");
	assert.equal(opened.size, 0, "every file that was opened is closed");
	assert.deepEqual(readdirSync(folder), ["data"]);
});

test("sqlite: a start killed while it creates the store does no harm; the next one tidies", async (context) => {
	for (let round = 0; round < 2; round++) {
		const folder = temporaryFolder(context);
		const environment = { DATABASE_URL: `sqlite:${join(folder, "s.db")}`, PORT: "0", OPS_PORT: "0" };
		const starting = begin(["serve"], { environment });
		await until("a first file", () => readdirSync(folder).length > 0, { everyMs: 0 });
		starting.child.kill("SIGKILL");
		const { signal } = await starting.finished;
		assert.equal(signal, "SIGKILL");
		const draft = `s.db.${starting.child.pid}-1.new`;
		const ofOthers = [`${draft}.mine`, "other.db.1-1.new", `s.db.${process.pid}-0.new`];
		for (const name of [draft, `${draft}-journal`, ...ofOthers]) writeFileSync(join(folder, name), "half a draft");
		const created = withStore(environment.DATABASE_URL, ({ createPet }) => createPet({ name: "a", categoryId: 1n }));
		assert.equal((await created).id, 1n);
		assert.deepEqual(new Set(readdirSync(folder)), new Set(["s.db", ...ofOthers]));
	}
});

test("only the owner can read a store, its WAL, folder and backups; a folder keeps its mode", async (context) => {
	const folder = temporaryFolder(context);
	const file = join(folder, "data", "s.db");
	const environment = { DATABASE_URL: `sqlite:${file}` };
	const under = ["bash", "-c", 'umask 000; exec "$@"', "-"];
	const rights = (path: string) => (statSync(path).mode & 0o777).toString(8);
	const service = await startProgram(context, environment, { under, folder });
	assert.equal(rights(dirname(file)), "700");
	for (const suffix of ["", "-wal", "-shm"]) assert.equal(rights(file + suffix), "600", suffix);
	mkdirSync(join(folder, "open"), { mode: 0o755 });
	const backup = join(folder, "open", "b.db");
	assert.equal((await runProgram(["backup", backup], { environment, under })).code, 0);
	const restored = join(folder, "open", "r.db");
	assert.equal((await runProgram(["restore", backup, "--to", restored], { under })).code, 0);
	assert.deepEqual([rights(backup), rights(restored), rights(dirname(backup))], ["600", "600", "755"]);
	await service.stop();
});

test("a command that creates no store refuses a mistyped DATABASE_URL, or a database without one", async (context) => {
	const { url, query } = await databaseFor(context);
	const folder = temporaryFolder(context);
	const file = `sqlite:${join(folder, "data", "typo.db")}`;
	const noFile = /^animal-store: there is no store at .*typo\.db: fix DATABASE_URL, or create one with .*\n$/;
	const noTables = /^animal-store: there is no store in this database: fix DATABASE_URL\n$/;
	for (const [DATABASE_URL, said] of Object.entries({ [file]: noFile, [url]: noTables })) {
		const copy = `copy --from ${DATABASE_URL} --to sqlite:${join(folder, "target.db")}`;
		const commands = ["keys list", "keys rotate key_none", "keys revoke key_none", copy];
		if (said === noFile) commands.push("backup b.db");
		const rows = commands.map((command): [string[], RegExp] => [command.split(" "), said]);
		await assertRefused(rows, { environment: { DATABASE_URL }, folder });
	}
	const tables = await query("SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace");
	assert.deepEqual([tables, readdirSync(folder)], [[], []]);
});

test("only the default store's folder is created; another missing one is refused in one sentence", async (context) => {
	const folder = temporaryFolder(context);
	const environment = { PORT: "0", OPS_PORT: "0" };
	await callWell(["keys", "create", "--name", "a"], { environment, folder });
	assert.deepEqual(readdirSync(folder), ["data"]);
	const missing = join(folder, "a", "whole", "path");
	const url = `sqlite:${join(missing, "s.db")}`;
	const stored = join(folder, "data", "animal-store.db");
	const said = /^animal-store: there is no folder .*whole\/path: create it, mount its disk, or name another file\n$/;
	const rows: [string[], RegExp][] = [
		[["keys", "create", "--name", "a", "--database-url", url], said],
		[["restore", stored, "--to", join(missing, "s.db")], said],
		[["copy", "--from", `sqlite:${stored}`, "--to", url], said],
	];
	await assertRefused(rows, { environment, folder });
	await startRefused({ DATABASE_URL: url }, said); // On a busy machine, the log says that the start is slow.
	assert.deepEqual(readdirSync(folder), ["data"]);
});

test("keys create reports once that it created a store, without the password of its database", async (context) => {
	const database = await databaseFor(context);
	const file = join(temporaryFolder(context), "s.db");
	const ofServer = `the database ${new URL(database.url).pathname.slice(1)}`;
	for (const [url, place] of Object.entries({ [`sqlite:${file}`]: file, [database.url]: ofServer })) {
		const create = (DATABASE_URL: string) => call(["keys", "create", "--name", "a"], { environment: { DATABASE_URL } });
		const first = await create(url);
		assert.match(first.stdout, /^pets_\w+\n$/);
		assert.ok(first.stderr.startsWith(`created a new store: ${place}\n`), first.stderr);
		const second = await create(url.replace("postgres:", "postgresql:"));
		assert.deepEqual([second.code, /new store/.test(second.stderr)], [0, false]);
	}
});

test("sqlite: a file that is replaced while it is opened is refused", async (context) => {
	const folder = temporaryFolder(context);
	const [file, other] = [join(folder, "s.db"), join(folder, "other.db")];
	for (const path of [file, other]) openSqliteWriter(path).database.close();
	const { statSync } = fs;
	// Replaces the file after the service has read its identity, but before it opens the file.
	context.mock.method(fs, "statSync", (...given: Parameters<typeof statSync>) => {
		const found = statSync(...given);
		if (given[1]?.bigint && existsSync(other)) renameSync(other, file);
		return found;
	});
	applyMocks(context);
	assert.throws(() => openSqliteWriter(file), /s\.db was replaced while it was opened: start again$/);
	openSqliteWriter(file).database.close();
});
