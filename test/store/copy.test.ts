// `animal-store copy` copies a whole store, unchanged, to the other engine and back.

import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { copyStore } from "../../src/cli/maintenance/copy.ts";
import type { LockedStore } from "../../src/cli/maintenance/sqlite.ts";
import { engineOf } from "../../src/cli/maintenance/work.ts";
import { petStatuses } from "../../src/contract/pet.ts";
import { openStore } from "../../src/store/open.ts";
import { columnsOf, type Table, tables } from "../../src/store/tables.ts";
import { callerOf } from "../support/caller.ts";
import { assertRefused, call, callWell } from "../support/command.ts";
import { databaseFor, withSettings } from "../support/postgres.ts";
import { keyFor, startProgram } from "../support/program.ts";
import { temporaryFolder, temporaryStore } from "../support/service.ts";
import { connect, runSql } from "../support/sql.ts";
import { withStore } from "../support/store-reads.ts";
import { until } from "../support/until.ts";
import { startStoreProcess } from "./process.ts";

/** More than a copy reads at once. */
const count = 6000;

/** A store with rows in every table, whose newest animal was removed. */
async function filled(context: TestContext): Promise<string> {
	const url = temporaryStore(context);
	await keyFor(url);
	await withStore(url, async ({ createPet, keys, edits, categories }) => {
		const creates = Array.from({ length: count }, (_, index) => {
			const status = petStatuses[index % 4];
			const idempotencyKey = index % 100 === 0 ? { caller: "someone", key: `k${index}` } : undefined;
			const categoryId = BigInt(index) * 10n ** 14n - 2n ** 62n;
			return createPet({ name: `n${index} 😀`, categoryId, status }, idempotencyKey);
		});
		await Promise.all(creates);
		const [key] = await keys.list();
		await keys.touch([{ keyId: key?.id ?? "", operation: "listPets", usedAtMs: 1 }]);
		await edits.apply({ petId: 6n, editor: "desk", action: "set-category", categoryId: -4n });
		await edits.apply({ petId: 7n, editor: "desk", action: "rename", name: "old" });
		await edits.apply({ petId: BigInt(count), editor: "desk", action: "remove" });
		await categories.apply([{ id: -4n, name: "Dög" }, { name: "Cat" }]);
	});
	return url;
}

test("a store can be copied to PostgreSQL and back, whole, and ids continue in the copy", async (context) => {
	const source = await filled(context);
	const { url: postgres } = await databaseFor(context);
	const back = `sqlite:${join(temporaryFolder(context), "back.db")}`;
	const { cursorSecret } = await withStore(source, async (store) => store);
	const copied = `copied ${count - 1} animals, 1 key and 60 Idempotency-Keys in`;
	for (const [from, to, lastEdit, nextId] of [
		[source, postgres, 3n, BigInt(count + 1)],
		[postgres, back, 4n, BigInt(count + 2)],
	] as const) {
		const { code, stdout, stderr } = await call(["copy", "--from", from, "--to", to]);
		assert.equal(code, 0, stderr);
		assert.match(stderr, to === postgres ? /^in postgres:.*:\*\*\*@/m : new RegExp(`^in ${to}$`, "m"));
		assert.match(stdout, new RegExp(`^${copied} [\\d.]+ s; both stores agree\\n$`));
		assert.ok((await rowsOf(to)) === (await rowsOf(from)), "all rows are copied");
		await withStore(to, async (store) => {
			assert.deepEqual(store.cursorSecret, cursorSecret);
			assert.equal((await store.createPet({ name: "next", categoryId: 1n })).id, nextId);
			await store.edits.apply({ petId: nextId, editor: "desk", action: "remove" });
			assert.equal((await store.edits.list(lastEdit, 9))[0]?.id, lastEdit + 1n);
			assert.equal((await store.categories.apply([{ name: "DÖG" }]))[0]?.id, -4n);
		});
	}
});

/** All rows of all tables. The numbers are exact, as text. */
async function rowsOf(url: string): Promise<string> {
	const rows = Object.values<Table>(tables).map(async (table) => {
		const columns = columnsOf(table).map(({ name }) => `CAST(${name} AS TEXT) AS ${name}`);
		return (await runSql(url, `SELECT ${columns} FROM ${table.name}`)).map((row) => String(Object.values(row))).sort();
	});
	return JSON.stringify(await Promise.all(rows));
}

/** Copies in transactions of both stores, as the command does, but also from a store that this process has open. */
async function copyBetween(from: string, to: string, change = (copy: LockedStore) => copy) {
	const [source, target] = [await engineOf(from), await engineOf(to)];
	const { signal } = new AbortController();
	return source.inTransaction(from, "source", (locked) =>
		target.inTransaction(to, "target", (empty) => copyStore(locked, change(empty), { signal }, 3)),
	);
}

test("a copy that differs from its source is reported, and the target stays empty", async (context) => {
	for (const [from, to] of await bothWays(context)) {
		await withStore(from, async ({ createPet }) => {
			for (let index = 0; index < 5; index++)
				await createPet({ name: `n${index}`, categoryId: 1n }, { caller: "a", key: `${index}` });
		});
		for (const fault of [
			"DELETE FROM pets WHERE id = 3",
			"UPDATE pets SET name = 'other' WHERE id = 3",
			"UPDATE pets SET category_id = 2 WHERE id = 3",
			"UPDATE pets SET status = 'sold' WHERE id = 3",
			"DELETE FROM idempotency_keys WHERE pet_id = 3",
			"UPDATE idempotency_keys SET fingerprint = '0' WHERE pet_id = 3",
		]) {
			const change = (copy: LockedStore): LockedStore => ({
				...copy,
				async query(statement) {
					const rows = await copy.query(statement);
					if (statement.text.startsWith("INSERT")) await copy.query({ text: fault });
					return rows;
				},
			});
			const table = /(pets|idempotency_keys)/.exec(fault)?.[0];
			await assert.rejects(copyBetween(from, to, change), new RegExp(`differs from its source in ${table}: try again`));
			await assertEmpty(to);
		}
		assert.equal((await copyBetween(from, to)).pets, 5, "the copy can be repeated");
	}
});

/** A file that a copy has created stays, as an empty store. */
async function assertEmpty(url: string): Promise<void> {
	for (const { name } of Object.values(tables)) assert.deepEqual(await runSql(url, `SELECT * FROM ${name}`), [], name);
}

/** Two copies in opposite directions: from an empty store of each engine to a target on the other engine. */
async function bothWays(context: TestContext): Promise<[[from: string, to: string], [from: string, to: string]]> {
	const file = (name: string) => `sqlite:${join(temporaryFolder(context), name)}`;
	return [
		[file("from.db"), (await databaseFor(context)).url],
		[(await databaseFor(context)).url, file("to.db")],
	];
}

test("a copy from or to an open store is refused; nothing is acknowledged during a copy, or lost", async (context) => {
	for (const [from, to] of await bothWays(context)) {
		const key = await keyFor(from);
		const service = await startProgram(context, { DATABASE_URL: from, CREATE_WAIT_MAX: "1s" });
		const target = startStoreProcess(context, to);
		const copy = ["copy", "--from", from, "--to", to];
		const isInUse = /^animal-store: .* is in use: stop the service, .*then copy\n$/;
		await assertRefused([[copy, isInUse]]);
		const { create } = callerOf(service.url, key);
		const isPostgres = from.startsWith("postgres:");
		const brief = isPostgres ? withSettings(from, { idle_in_transaction_session_timeout: "50ms" }) : from;
		await (await engineOf(brief)).inTransaction(brief, "source", async ({ query }) => {
			assert.equal((await create()).status, 503);
			await query({ text: "SELECT 1" });
		});
		const { body } = await until("creates to work again", async () => {
			const reply = await create();
			return reply.status === 201 && reply;
		});
		await service.stop("SIGKILL");
		await target("open");
		await assertRefused([[copy, isInUse]]);
		await target("close");
		const { pets } = JSON.parse(await callWell([...copy, "--json"]));
		const copied = (await runSql(to, "SELECT id FROM pets")).map(({ id }) => Number(id));
		assert.ok(copied.includes(JSON.parse(body).id) && copied.length === pets, `${body} ${copied}`);
	}
});

test("a copy is refused while its source is written", async (context) => {
	const [, [source, target]] = await bothWays(context);
	await (await openStore(source, Date.now)).close();
	const other = await connect(context, source);
	const write = "UPDATE counters SET last_id = last_id; INSERT INTO pets (id, name, category_id) VALUES (1, 'Rex', 1)";
	await other.query(`BEGIN; ${write}`);
	const isLocked = /^animal-store: the tables cannot be locked \(.*lock timeout\): stop all writers\n$/;
	await assertRefused([[["copy", "--from", source, "--to", target], isLocked]]);
});

test("a copy that loses its lock on the source leaves the target empty", async (context) => {
	const { url: from } = await databaseFor(context);
	const to = `sqlite:${join(temporaryFolder(context), "to.db")}`;
	await withStore(from, ({ createPet }) => createPet({ name: "Rex", categoryId: 1n }));
	const holders = "FROM pg_locks WHERE mode = 'ExclusiveLock' AND relation = 'pets'::regclass";
	const lose = (copy: LockedStore): LockedStore => ({
		...copy,
		keepIds: (lastId) => [...copy.keepIds(lastId), { text: "lost" }],
		async query(statement) {
			if (statement.text !== "lost") return copy.query(statement);
			return (await runSql(from, `SELECT pg_terminate_backend(pid) ${holders}`)) && [];
		},
	});
	await assert.rejects(copyBetween(from, to, lose), { name: "StorageUnavailable" });
	await assertEmpty(to);
});

test("a target with other data is refused and not changed", async (context) => {
	const one = `sqlite:${join(temporaryFolder(context), "one.db")}`;
	await keyFor(one);
	const { url } = await databaseFor(context);
	const copy = (from: string, to: string) => ["copy", "--from", from, "--to", to];
	for (const target of [`sqlite:${join(temporaryFolder(context), "other.db")}`, url]) {
		await withStore(target, ({ createPet }) => createPet({ name: "Rex", categoryId: 1n }));
		const isFull = /^animal-store: the target is not empty \(it has pets\): name an empty one\n$/;
		await assertRefused([[copy(one, target), isFull]]);
		assert.equal((await runSql(target, "SELECT id FROM pets")).length, 1);
		assert.deepEqual(await runSql(target, "SELECT id FROM keys"), []);
	}
	const keyed = `sqlite:${join(temporaryFolder(context), "keyed.db")}`;
	await keyFor(keyed);
	await assertRefused([
		[copy(one, keyed), /^animal-store: the target is not empty \(it has keys\): /],
		[copy("animals.db", url), /^animal-store: --from must be sqlite: and the path/],
		[copy(url, "postgres://me:s3cret@host:port/animals"), /^animal-store: --to (?!.*s3cret)/],
	]);
});
