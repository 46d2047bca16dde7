// `animal-store copy` copies a whole store, unchanged, to the other engine and back.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { type CopyOptions, copyStore } from "../../src/cli/copy.ts";
import { engineOf } from "../../src/cli/maintenance/work.ts";
import { petStatuses } from "../../src/contract/pet.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { type Row, type TableName, tableNames, tables } from "../../src/store/tables.ts";
import { ask, callerOf, linkOf } from "../support/caller.ts";
import { assertRefused, call } from "../support/command.ts";
import { databaseFor, withSettings } from "../support/postgres.ts";
import { keyFor, runProgram, startProgram, startRefused } from "../support/program.ts";
import { temporaryFolder, temporaryStore } from "../support/service.ts";
import { connect, runSql } from "../support/sql.ts";
import { readPet, withStore } from "../support/store-reads.ts";
import { until } from "../support/until.ts";
import { engines } from "./engines.ts";

const count = 12_000;

async function filled(context: TestContext): Promise<{ url: string; key: string }> {
	const url = temporaryStore(context);
	const key = await keyFor(url);
	await withStore(url, ({ createPet }) =>
		Promise.all(
			Array.from({ length: count }, (_, index) => {
				const status = petStatuses[index % 4];
				const idempotencyKey = index % 100 === 0 ? { caller: "someone", key: `k${index}` } : undefined;
				const categoryId = BigInt(index) * 10n ** 14n - 2n ** 62n;
				return createPet({ name: `n${index} 😀`, categoryId, ...(status && { status }) }, idempotencyKey);
			}),
		),
	);
	return { url, key };
}

test("a store can be copied to PostgreSQL and back: ids, keys and cursors still work", async (context) => {
	const { url: source, key } = await filled(context);
	// Before each copy the newest animal is removed. No store may use its id again, not even the copy.
	await runSql(source, `DELETE FROM pets WHERE id = ${count}`);
	const { url: postgres } = await databaseFor(context);
	const back = `sqlite:${join(temporaryFolder(context), "back.db")}`;
	const first = await startProgram(context, { DATABASE_URL: source });
	const next = linkOf(await ask(`${first.url}/v1/pets?limit=100`, { key }));
	const page = (await ask(first.url + next, { key })).body;
	await first.stop();
	for (const [from, to, nextId] of [
		[source, postgres, count + 1],
		[postgres, back, count + 2],
	] as const) {
		const { code, stdout, stderr } = await call(["copy", "--from", from, "--to", to]);
		assert.equal(code, 0, stderr);
		assert.match(stderr, to === postgres ? /^in postgres:.*:\*\*\*@/m : new RegExp(`^in ${to}$`, "m"));
		assert.match(
			stdout,
			new RegExp(`^copied ${count - 1} animals, 1 key and 120 Idempotency-Keys in [\\d.]+ s; both stores agree\\n$`),
		);
		const store = await openStore(to, Date.now);
		assert.deepEqual(await readPet(store, 3n), {
			id: 3n,
			name: "n2 😀",
			categoryId: 2n * 10n ** 14n - 2n ** 62n,
			status: "sold",
		});
		const again = { name: "n100 😀", categoryId: 10n ** 16n - 2n ** 62n, status: "available" as const };
		assert.deepEqual(await store.createPet(again, { caller: "someone", key: "k100" }), {
			id: 101n,
			outcome: "replayed",
		});
		const created = await store.createPet({ name: "next", categoryId: 1n });
		assert.deepEqual(created, { id: BigInt(nextId), outcome: "created" });
		await runSql(to, `DELETE FROM pets WHERE id = ${nextId}`);
		await store.close();
		const service = await startProgram(context, { DATABASE_URL: to });
		assert.equal((await ask(service.url + next, { key })).body, page);
		await service.stop();
	}
});

test("a copy that differs from its source is reported and stays unfinished", async (context) => {
	const open = async () => (await engines.sqlite(context)).open();
	const from = await open();
	for (let index = 0; index < 5; index++)
		await from.createPet({ name: `n${index}`, categoryId: 1n }, { caller: "a", key: `${index}` });
	const changed = (column: number, value: string | bigint) => (rows: Row[]) =>
		rows.map((row, place) => (place === 2 ? row.with(column, value) : row));
	const faults: [table: TableName, fault: (rows: Row[]) => Row[]][] = [
		["pets", (rows) => rows.slice(1)],
		["pets", changed(1, "other")],
		["pets", changed(2, 2n)],
		["pets", changed(3, "sold")],
		["idempotencyKeys", (rows) => rows.slice(0, -1)],
		["idempotencyKeys", changed(3, "0")],
	];
	for (const [table, fault] of faults) {
		const target = await open();
		const write: Store["rows"]["write"] = (to, rows) => target.rows.write(to, to === table ? fault(rows) : rows);
		const to = { ...target, rows: { ...target.rows, write } };
		const named = new RegExp(`differs from its source in ${tables[table].name} `);
		await assert.rejects(copyStore({ from, to, onProgress() {} }), named);
		assert.ok(await target.rows.readCopyMark(), "the target is still marked as unfinished");
	}
});

test("an interrupted copy resumes, and no service starts on an unfinished copy", async (context) => {
	const from = await (await engines.sqlite(context)).open();
	for (let index = 0; index < 7; index++)
		await from.createPet({ name: "Rex", categoryId: 1n }, { caller: `${index % 2}`, key: `${index}` });
	for (const make of Object.values(engines)) {
		const { databaseUrl: target, open } = await make(context);
		const to = await open();
		const interrupted = copyStore({
			from,
			to,
			pageRows: 3,
			onProgress({ done }) {
				if (done >= 3) throw new Error("interrupted");
			},
		});
		await assert.rejects(interrupted, /interrupted/);
		await startRefused(
			{ DATABASE_URL: target },
			/is an unfinished copy: run (npx )?animal-store copy again to complete it/,
		);
		const seen: number[] = [];
		const onProgress: CopyOptions["onProgress"] = ({ what, done }) => void (what === "pets" && seen.push(done));
		const { pets, idempotencyKeys } = await copyStore({ from, to, onProgress, pageRows: 3 });
		assert.deepEqual([seen, pets, idempotencyKeys], [[3, 6, 7], 7, 7]);
	}
});

/** Two copies in opposite directions: from an empty store of each engine to a target on the other engine. */
async function bothWays(context: TestContext): Promise<[[from: string, to: string], [from: string, to: string]]> {
	const file = (name: string) => `sqlite:${join(temporaryFolder(context), name)}`;
	return [
		[file("from.db"), (await databaseFor(context)).url],
		[(await databaseFor(context)).url, file("to.db")],
	];
}

const rowsOf = async ({ rows }: Store) =>
	Promise.all(tableNames.map(async (table) => (await rows.read(table, undefined, 100)).map(String).sort()));

test("after a copy met a writer, its next run repairs what was changed or removed since", async (context) => {
	for (const urls of await bothWays(context)) {
		const [from, to] = await Promise.all(urls.map((url) => openStore(url, Date.now)));
		if (!from || !to) throw new Error("a store is missing");
		context.after(() => Promise.all([from.close(), to.close()]));
		for (let index = 0; index < 7; index++)
			await from.createPet({ name: `n${index}`, categoryId: 1n }, { caller: "a", key: `${index}` });
		await keyFor(urls[0]);
		const [key] = await from.keys.list();
		if (!key) throw new Error("the key is missing");
		await from.keys.touch([{ keyId: key.id, operation: "listPets", usedAtMs: 1 }]);
		await from.edits.apply({ petId: 7n, editor: "desk", action: "rename", name: "old" });
		await from.edits.apply({ petId: 6n, editor: "desk", action: "set-category", categoryId: -4n });
		await from.categories.apply([{ id: -4n, name: "Dög" }, { name: "Cat" }]);
		let edits = 0;
		const read: Store["rows"]["read"] = async (table, ...given) => {
			const name = `new${++edits}`;
			if (table === "pets") await from.edits.apply({ petId: 1n, editor: "desk", action: "rename", name });
			return from.rows.read(table, ...given);
		};
		const met = copyStore({ from: { ...from, rows: { ...from.rows, read } }, to, onProgress() {} });
		await assert.rejects(met, /the copy differs from its source in pets .*: stop all writers of the source, and copy/);
		await from.edits.apply({ petId: 2n, editor: "desk", action: "remove" });
		await from.edits.apply({ petId: 7n, editor: "desk", action: "remove" });
		await from.keys.touch([{ keyId: key.id, operation: "listPets", usedAtMs: 2 }]);
		await from.keys.revoke(key.id, 3);
		await runSql(urls[0], "DELETE FROM idempotency_keys WHERE key = '3'");
		const { pets, idempotencyKeys, categories } = await copyStore({ from, to, onProgress() {} });
		assert.deepEqual([pets, idempotencyKeys, categories], [5, 6, 2]);
		assert.deepEqual(await rowsOf(to), await rowsOf(from));
		assert.equal((await to.createPet({ name: "next", categoryId: 1n })).id, 8n);
		assert.equal((await to.categories.apply([{ name: "DOG" }]))[0]?.id, -4n);
	}
});

test("a source that a service has open is refused; what a killed service acknowledged is copied", async (context) => {
	for (const [from, to] of await bothWays(context)) {
		const key = await keyFor(from);
		const service = await startProgram(context, { DATABASE_URL: from });
		const refused = await call(["copy", "--from", from, "--to", to]);
		assert.equal(refused.code, 1, refused.stdout);
		assert.match(refused.stderr, /^animal-store: .* is in use: stop the service, .*then copy\n$/);
		assert.equal((await callerOf(service.url, key).create()).status, 201);
		await service.stop("SIGKILL");
		const { code, stdout, stderr } = await call(["copy", "--from", from, "--to", to, "--json"]);
		assert.equal(code, 0, stderr);
		assert.equal(JSON.parse(stdout).pets, 1);
	}
});

test("nothing is acknowledged by a service that starts while the source is copied", async (context) => {
	for (const [from] of await bothWays(context)) {
		const key = await keyFor(from);
		const service = await startProgram(context, { DATABASE_URL: from, CREATE_WAIT_MAX: "1s" });
		const create = async () => (await callerOf(service.url, key).create()).status;
		const isPostgres = from.startsWith("postgres:");
		const brief = isPostgres ? withSettings(from, { idle_in_transaction_session_timeout: "50ms" }) : from;
		const lock = await (await engineOf(brief)).lockWrites(brief);
		assert.equal(await create(), 503);
		await lock.check();
		await lock.release();
		await until("creates to work again", async () => (await create()) === 201);
		await service.stop();
	}
});

test("a copy locks its source against writers, and is refused during a write", async (context) => {
	const [[file, database], [source, target]] = await bothWays(context);
	await Promise.all([file, database, source].map((url) => openStore(url, Date.now).then((store) => store.close())));
	await keyFor(file);
	const client = await connect(context, database);
	await client.query("SELECT pg_advisory_lock(1)");
	await client.query(`CREATE FUNCTION halt() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'`);
	await client.query("CREATE TRIGGER halt BEFORE INSERT ON keys FOR EACH ROW EXECUTE FUNCTION halt()");
	const copying = runProgram(["copy", "--from", file, "--to", database]);
	const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
	await until("the copy to be half done", async () => (await client.query(waiting)).rows.length > 0);
	const writer = new Database(file.slice("sqlite:".length), { timeout: 0 });
	assert.throws(() => writer.exec("BEGIN IMMEDIATE"), { code: "SQLITE_BUSY" });
	writer.close();
	await client.query("SELECT pg_advisory_unlock(1)");
	assert.equal((await copying).code, 0, (await copying).stderr);

	const other = await connect(context, source);
	await other.query("BEGIN");
	await other.query("UPDATE counters SET last_id = last_id");
	await other.query("INSERT INTO pets (id, name, category_id) VALUES (1, 'Rex', 1)");
	const isLocked = /^animal-store: the tables cannot be locked \(.*lock timeout\): stop all writers\n$/;
	await assertRefused([[["copy", "--from", source, "--to", target], isLocked]]);
});

test("a copy whose lock on the source was lost stays unfinished", async (context) => {
	const { databaseUrl: url, open } = await engines.postgres(context);
	const from = await open();
	const to = await (await engines.sqlite(context)).open();
	const lock = await (await engineOf(url)).lockWrites(url);
	context.after(() => lock.release());
	const holders = "FROM pg_locks WHERE mode = 'ShareLock' AND relation = 'pets'::regclass";
	await runSql(url, `SELECT pg_terminate_backend(pid) ${holders}`);
	await assert.rejects(copyStore({ from, to, onProgress() {}, onAgreed: lock.check }), /lock against writers was lost/);
	assert.ok(await to.rows.readCopyMark());
});

test("a target with other data is refused and not changed", async (context) => {
	const one = `sqlite:${join(temporaryFolder(context), "one.db")}`;
	const other = `sqlite:${join(temporaryFolder(context), "other.db")}`;
	await keyFor(one);
	const { url: half } = await databaseFor(context);
	await withStore(other, (store) => store.createPet({ name: "Rex", categoryId: 1n }));
	await withStore(half, async ({ rows }) => {
		await rows.markCopy("something");
		await assert.rejects(rows.markCopy("another"), "one of two copies that begin together fails");
	});
	const copy = (from: string, to: string) => ["copy", "--from", from, "--to", to];
	await assertRefused([
		[copy(one, other), /^animal-store: the target is not empty \(it has pets\): name an empty one\n$/],
		[copy(one, half), /^animal-store: the target holds an unfinished copy of another store: empty it, or name a.*\n$/],
		[copy("animals.db", half), /^animal-store: --from must be sqlite: and the path/],
		[copy(half, "postgres://me:s3cret@host:port/animals"), /^animal-store: --to (?!.*s3cret)/],
	]);
	for (const [url, pets] of [
		[other, 1],
		[half, 0],
	] as const) {
		assert.equal((await runSql(url, "SELECT id FROM pets")).length, pets);
		assert.deepEqual(await runSql(url, "SELECT id FROM keys"), []);
	}
});
