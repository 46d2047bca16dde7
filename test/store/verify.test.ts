// `animal-store verify` finds damage that nothing else shows, counts the rows of an undamaged file, and writes nothing.
// A start checks only the header and the schema.

import assert from "node:assert/strict";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { callerOf } from "../support/caller.ts";
import { assertRefused, call } from "../support/command.ts";
import { keyFor, onTerminal, runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { withStore } from "../support/store-reads.ts";
import { until } from "../support/until.ts";
import { damagedCopies, damagedInside, editedCopy } from "./damaged-copies.ts";
import { startStoreProcess } from "./process.ts";

/** A closed store of 2,000 animals, and a function that runs the command. */
async function someStore(context: TestContext) {
	const folder = temporaryFolder(context);
	const path = (name: string) => join(folder, name);
	const environment = { DATABASE_URL: `sqlite:${path("s.db")}` };
	await withStore(environment.DATABASE_URL, ({ createPet }) => {
		const key = (n: number) => ({ caller: "a", key: `${n % 3}-${n}` });
		const creates = Array.from({ length: 2000 }, (_, n) => createPet({ name: `n${n}`, categoryId: 1n }, key(n)));
		return Promise.all(creates);
	});
	const verify = (...parameters: string[]) => call(["verify", ...parameters], { environment });
	return { folder, path, environment, verify };
}

/** Fills the page at this byte with zeros. */
function fillWithZeros(file: string, at: number): void {
	const bytes = readFileSync(file);
	const page = bytes.readUInt16BE(16);
	writeFileSync(file, bytes.fill(0, at - (at % page), at - (at % page) + page));
}

test("a sound store and a sound backup are verified with counts, by name or by DATABASE_URL", async (context) => {
	const { path, environment, verify } = await someStore(context);
	await call(["keys", "create", "--name", "a"], { environment });
	const counts = "is sound: 2000 animals, 1 key, 2000 Idempotency-Keys, schema 8";
	const named = await verify(path("s.db"));
	assert.deepEqual([named.code, named.stderr], [0, ""]);
	assert.ok(named.stdout.startsWith(`${path("s.db")} ${counts}, `), named.stdout);
	assert.equal((await verify()).stdout, named.stdout);
	await call(["backup", path("b.db")], { environment });
	assert.match((await verify(path("b.db"))).stdout, new RegExp(`b\\.db ${counts}, \\d+ bytes\n$`));
	const added =
		"CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER); CREATE TABLE _litestream_lock (id)";
	const names = "INSERT INTO categories VALUES (1, 'Dog', 'dog'), (2, 'DOG', 'ID 2')";
	const copied = await verify(editedCopy(path("s.db"), "replicated", `${added}; ${names}; ANALYZE`));
	assert.match(copied.stdout, /2000 Idempotency-Keys, 2 category names, schema 8, /);
	const { animals, keys, idempotencyKeys, schema, problems } = JSON.parse((await verify("--json")).stdout);
	assert.deepEqual([animals, keys, idempotencyKeys, schema, problems], [2000, 1, 2000, 8, []]);
});

test("verify ends with 1 for each kind of damage, and names it", async (context) => {
	const { path, environment, verify } = await someStore(context);
	const last = 2n ** 63n - 1n;
	const editOfLastNumber = `INSERT INTO edits (id, at_ms, editor, action, pet_id) VALUES (${last}, 0, 'a', 'remove', 1)`;
	const schemaDiffers = "the schema is not that";
	const ofOneAnimal = "1 of the animals have an id, a name or a status";
	const removed = "CREATE TRIGGER pets_removed AFTER DELETE ON pets BEGIN DELETE FROM pets WHERE id = 1; END";
	const newer = "INSERT OR REPLACE INTO settings VALUES ('applied_schema', CAST('99' AS BLOB))";
	const edits: [sql: string, found: string][] = [
		["DELETE FROM sqlite_schema WHERE name = 'pets_by_status'", schemaDiffers],
		["UPDATE pets SET status = 'lost' WHERE id = 7", ofOneAnimal],
		["CREATE TABLE t (a)", "it has a table that no"],
		["CREATE INDEX i ON pets (name)", "it has an index"],
		[`DROP TRIGGER pets_removed; ${removed}`, schemaDiffers],
		[newer, "a newer animal-store has"],
		[`UPDATE sqlite_sequence SET seq = ${last}`, "the stored last id of an animal"],
		["UPDATE sqlite_sequence SET seq = 1", "the stored last id of an animal"],
		[editOfLastNumber, "an edit has an id"],
		[editOfLastNumber.replace(String(last), "0"), "an edit has an id"],
		["UPDATE pets SET id = 0 WHERE id = 1", ofOneAnimal],
		["UPDATE pets SET name = 'a' || char(0) || char(27) WHERE id = 7", ofOneAnimal],
		["UPDATE pets SET name = char(8195) WHERE id = 7", ofOneAnimal],
		["INSERT INTO categories VALUES (1, 'Dog', 'cat')", "a category has a name"],
		["INSERT INTO categories VALUES (1, char(27), char(27))", "a category has a name"],
		["PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM", "the pages are not of 4096 bytes"],
		["UPDATE pet_totals SET animals = 1999", "the stored counts of animals by category"],
		["UPDATE pet_totals SET animals = 2001", "the stored counts of animals by category"],
		["UPDATE pet_counts SET animals = 2001", "the stored counts of animals by category"],
		["UPDATE pet_counts SET animals = 1999", "the stored counts of animals by category"],
		["UPDATE settings SET value = x'00' WHERE name = 'cursor_secret'", "the secret of the cursors is missing"],
		["DELETE FROM settings WHERE name = 'cursor_secret'", "the secret of the cursors is missing"],
		["UPDATE pets SET name = '' WHERE id < 3", "2 of the animals have an id, a name"],
	];
	const edited = edits.map(([sql], index) => editedCopy(path("s.db"), `edited ${index}`, sql));
	const withoutPage = editedCopy(path("s.db"), "page", "");
	fillWithZeros(withoutPage, 8 * 4096);
	const rows: [file: string, said: RegExp][] = [
		...damagedCopies(path("s.db")),
		...damagedInside(path("s.db")),
		...edits.map(([, found], index): [string, RegExp] => [String(edited[index]), new RegExp(`found: ${found}`)]),
		[withoutPage, /is damaged: restore .*\n.*found: /],
		[path("none.db"), /there is no file at .*none\.db/],
	];
	const commands = rows.map(([file, said]): [string[], RegExp] => [["verify", file], said]);
	commands.push([["verify", "--database-url", "postgres://a/b"], /use pg_amcheck for a database, and pg_verifybackup/]);
	await assertRefused(commands, { environment });
	const { code, stdout } = await verify(String(edited.at(-1)), "--json");
	assert.deepEqual([code, JSON.parse(stdout).problems.length], [1, 1]);
});

test("verify changes no store of a running service, no file after a SIGKILL, and no WAL", async (context) => {
	const { path, environment, verify } = await someStore(context);
	const service = await startProgram(context, environment);
	const key = await keyFor(environment.DATABASE_URL);
	const contents = () => [readFileSync(path("s.db")), readFileSync(path("s.db-wal"))];
	const before = contents();
	assert.ok((before[1]?.length ?? 0) > 0, "there is a WAL");
	assert.match((await verify()).stdout, /is sound: 2000 animals, 1 key/);
	assert.deepEqual(contents(), before);
	assert.equal((await callerOf(service.url, key).create()).status, 201, "the service's locks still work");
	await service.stop("SIGKILL");
	const left = contents();
	assert.match((await verify()).stdout, /is sound: 2001 animals, 1 key/);
	assert.deepEqual(contents(), left);
});

test("verify of a backup needs no permission to write, and leaves no file", async (context) => {
	const { path, environment } = await someStore(context);
	mkdirSync(path("closed"));
	copyFileSync(path("s.db"), join(path("closed"), "s.db"));
	await call(["backup", join(path("closed"), "b.db")], { environment });
	for (const name of ["s.db", "b.db"]) chmodSync(join(path("closed"), name), 0o444);
	chmodSync(path("closed"), 0o555);
	// Root can write to every file unless it drops this capability.
	const under = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override"] : [];
	const verified = ["s.db", "b.db"].map((name) => runProgram(["verify", join(path("closed"), name)], { under }));
	const [store, backup] = await Promise.all(verified);
	chmodSync(path("closed"), 0o755);
	assert.match(backup?.stdout ?? "", /is sound: 2000 animals/, backup?.stderr);
	assert.match(store?.stderr ?? "", /s\.db: verify it as a user who may write to its folder, or verify a backup\n$/);
	assert.deepEqual(readdirSync(path("closed")).sort(), ["b.db", "s.db"]);
});

test("backup and verify show their progress on a terminal only", async (context) => {
	const { path, environment, verify } = await someStore(context);
	const shown = async (...parameters: string[]) =>
		(await runProgram(parameters, { environment: { ...environment, TERM: "xterm" }, under: onTerminal })).stdout;
	assert.match(await shown("backup", path("b.db")), /starting \| .*backed up 2000 animals/s);
	assert.match(await shown("verify"), /starting \| .*is sound/s);
	assert.equal((await verify()).stderr, "");
	const told = "data:text/javascript,import os from 'node:os';process.on('exit',()=>console.error(os.getPriority()))";
	const { stderr } = await runProgram(["verify"], { environment, nodeOptions: ["--import", told] });
	assert.ok(Number(stderr) >= 10, "a service on the machine goes first");
});

test("a store with damage inside starts; verify, backup and copy find it and write nothing", async (context) => {
	const { path, environment } = await someStore(context);
	const key = await keyFor(environment.DATABASE_URL);
	const killed = startStoreProcess(context, environment.DATABASE_URL);
	for (const task of ["open", "create", "die"] as const) await killed(task);
	fillWithZeros(path("s.db"), readFileSync(path("s.db")).lastIndexOf("n1000"));
	const folder = path("backups");
	mkdirSync(folder);
	const service = await startProgram(context, { ...environment, BACKUP_TO: folder });
	const line = () => service.output.stdout.split("\n").find((text) => text.includes("backup failed"));
	await until("the backup to fail", () => line() !== undefined);
	assert.match(JSON.parse(line() ?? "").reason, /s\.db is damaged: restore a backup/);
	const { create, get } = callerOf(service.url, key);
	assert.deepEqual([(await get()).status, (await create()).status], [200, 201]);
	assert.equal((await service.stop()).code, 0);
	const copy = `copy --from ${environment.DATABASE_URL} --to sqlite:${join(folder, "c.db")}`;
	for (const command of ["verify", `backup ${join(folder, "b.db")}`, copy])
		await assertRefused([[command.split(" "), /s\.db is damaged: restore a backup/]], { environment });
	const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
	assert.ok(!names.some((name) => name.includes(".db")), names.join());
});
