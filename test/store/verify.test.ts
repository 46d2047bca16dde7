// `animal-store verify` finds damage that nothing else shows, counts the rows of an undamaged file, and writes nothing.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openStore } from "../../src/store/open.ts";
import { callerOf } from "../support/caller.ts";
import { keyFor } from "../support/key-for.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { damagedCopies, editedCopy } from "./damaged-copies.ts";

/** A closed store of 2,000 animals, and a function that runs the command. */
async function someStore(context: TestContext) {
	const folder = temporaryFolder(context);
	const path = (name: string) => join(folder, name);
	const environment = { DATABASE_URL: `sqlite:${path("s.db")}` };
	const store = await openStore(environment.DATABASE_URL, Date.now);
	const creates = Array.from({ length: 2000 }, (_, n) =>
		store.createPet({ name: `n${n}`, categoryId: 1n }, { caller: "a", key: `${n % 3}-${n}` }),
	);
	await Promise.all(creates);
	await store.close();
	const verify = (...parameters: string[]) => runProgram(["verify", ...parameters], { environment });
	return { folder, path, environment, verify };
}

test("a sound store and a sound backup are verified with counts, by name or by DATABASE_URL", async (context) => {
	const { path, environment, verify } = await someStore(context);
	await runProgram(["keys", "create", "--name", "a"], { environment });
	const counts = "is sound: 2000 animals, 1 key, 2000 Idempotency-Keys, schema 5";
	const named = await verify(path("s.db"));
	assert.deepEqual([named.code, named.stderr], [0, ""]);
	assert.ok(named.stdout.startsWith(`${path("s.db")} ${counts}, `), named.stdout);
	assert.equal((await verify()).stdout, named.stdout);
	await runProgram(["backup", path("b.db")], { environment });
	assert.match((await verify(path("b.db"))).stdout, new RegExp(`b\\.db ${counts}, \\d+ bytes\n$`));
	const report = JSON.parse((await verify("--json")).stdout);
	const { animals, keys, idempotencyKeys, schema, problems } = report;
	assert.deepEqual([animals, keys, idempotencyKeys, schema, problems], [2000, 1, 2000, 5, []]);
});

test("verify ends with 1 for each kind of damage, and names it", async (context) => {
	const { path, verify } = await someStore(context);
	const edited = (name: string, sql: string) => editedCopy(path("s.db"), name, sql);
	const lost = edited("page", "");
	const bytes = readFileSync(lost);
	const page = bytes.readUInt16BE(16);
	writeFileSync(lost, bytes.fill(0, page * 8, page * 9));
	const rows: [file: string, said: RegExp][] = [
		...damagedCopies(path("s.db")),
		[lost, /is damaged: restore .*\n.*found: /],
		[edited("index", "DELETE FROM sqlite_schema WHERE name = 'pets_by_status'"), /found: the schema is not that/],
		[
			edited("status", "UPDATE pets SET status = 'lost' WHERE id = 7"),
			/found: 1 of the animals have a name or a status/,
		],
		[edited("names", "UPDATE pets SET name = '' WHERE id < 3"), /found: 2 of the animals have a name/],
		[
			edited("secret", "DELETE FROM settings WHERE name = 'cursor_secret'"),
			/found: the secret of the cursors is missing/,
		],
		[path("none.db"), /there is no file at .*none\.db/],
	];
	for (const [file, said] of rows) {
		const { code, stdout, stderr } = await verify(file);
		assert.deepEqual([code, stdout], [1, ""], file);
		assert.match(stderr, said);
	}
	const { code, stdout } = await verify(path("names"), "--json");
	assert.deepEqual([code, JSON.parse(stdout).problems.length], [1, 1]);
	const url = "postgres://a/b";
	assert.match((await verify("--database-url", url)).stderr, /use pg_amcheck for a database, and pg_verifybackup/);
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
	await runProgram(["backup", join(path("closed"), "b.db")], { environment });
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
	const bin = fileURLToPath(new URL("../../bin/animal-store.js", import.meta.url));
	const onTerminal = async (...parameters: string[]) => {
		const command = [process.execPath, bin, ...parameters].join(" ");
		const env = { ...environment, PATH: process.env["PATH"], TERM: "xterm" };
		return (await promisify(execFile)("script", ["-qec", command, "/dev/null"], { env })).stdout;
	};
	assert.match(await onTerminal("backup", path("b.db")), /% \|.*backed up 2000 animals/s);
	assert.match(await onTerminal("verify"), /% \|.*is sound/s);
	assert.equal((await verify()).stderr, "");
});
