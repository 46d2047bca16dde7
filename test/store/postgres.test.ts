// The store suite on PostgreSQL, and tests for a server with several nodes.

import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { openStore } from "../../src/store/open.ts";
import { createAll } from "../../src/store/postgres/creates.ts";
import { createRetry } from "../../src/store/postgres/errors.ts";
import { openPool } from "../../src/store/postgres/pool.ts";
import { StorageUnavailable, type Store } from "../../src/store/store.ts";
import { databaseFor, withSettings } from "../support/postgres.ts";
import { connect, runSql } from "../support/sql.ts";
import { petsOf } from "../support/store-reads.ts";
import { type Link, startProxy } from "../support/tcp-proxy.ts";
import { until } from "../support/until.ts";
import { engines } from "./engines.ts";
import { storeSuite } from "./suite.ts";

storeSuite("postgres");

const pet = { name: "a", categoryId: 1n };

test("postgres: ids ascend in commit order on all nodes: polling the last page misses nothing", async (context) => {
	const { open } = await engines.postgres(context);
	const [reader, ...writers] = await Promise.all([open(), open(), open()]);
	let isWriting = true;
	let created = 0;
	const write = async (store: Store) => {
		for (let count = 0; count < 100; count++, created += 3)
			await Promise.all([1, 2, 3].map(() => store.createPet(pet)));
	};
	const writing = Promise.all([...writers, ...writers, ...writers, ...writers].map(write)).finally(() => {
		isWriting = false;
	});
	let seen = 0n;
	const poll = async () => {
		const page = await reader.listPets({ after: seen, limit: 100 });
		for (const { id } of petsOf(page)) assert.equal(id, ++seen, "nothing is missed or repeated");
		return page.hasMore;
	};
	while (isWriting) await poll();
	await writing;
	while (await poll());
	assert.equal(Number(seen), created);
});

test("postgres: one Idempotency-Key, new or expired, on two nodes together makes one animal", async (context) => {
	let nowMs = Date.now();
	for (const level of ["read committed", "repeatable read"]) {
		const { url } = await databaseFor(context);
		const isolated = withSettings(url, { default_transaction_isolation: level });
		const stores = await Promise.all([1, 2].map(() => openStore(isolated, () => nowMs, { random: Math.random })));
		context.after(() => Promise.all(stores.map((store) => store.close())));
		for (let round = 0; round < 30; round++) {
			// Each key is used in two rounds: when it is new, and after it has expired. One create of each node has no key.
			const idempotencyKey = { caller: "a", key: `k${round >> 1}` };
			const keys = [idempotencyKey, undefined, idempotencyKey];
			const creates = keys.flatMap((key) => stores.map((store) => store.createPet(pet, key)));
			const results = await Promise.all(creates);
			const ids = [1, 2, 3].map((id) => BigInt(3 * round + id));
			assert.deepEqual(new Set(results.map(({ id }) => id)), new Set(ids), level);
			const outcomes = results.map(({ outcome }) => outcome).sort();
			assert.deepEqual(outcomes, [...Array(3).fill("created"), ...Array(3).fill("replayed")], level);
			nowMs += 24 * 3_600_000;
		}
	}
});

test("postgres: a search that nobody waits for is cancelled, even while it runs", async (context) => {
	const { open, databaseUrl: url } = await engines.postgres(context);
	const store = await open();
	const locking = await connect(context, url);
	await locking.query("BEGIN; LOCK pets");
	const leaving = new AbortController();
	const finding = store.findPets({ name: "a", limit: 50 }, leaving.signal);
	const cancelled = assert.rejects(finding, /57014: canceling statement due to user request/);
	const searches = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FROM pets%'";
	await until("the search to run", async () => (await runSql(url, searches)).length > 0);
	leaving.abort();
	await cancelled;
	await locking.query("ROLLBACK");
	assert.deepEqual((await store.findPets({ name: "a", limit: 50 })).pets, []);
});

test("postgres: a commit of more than a second is waited for as long as CREATE_WAIT_MAX allows", async (context) => {
	const { open, databaseUrl } = await engines.postgres(context);
	const { mock } = context.mock.method(globalThis, "setTimeout");
	await (await open({ writeWaitMaxMs: 1 })).createPet(pet).catch(() => {});
	const waits = mock.calls.map(({ arguments: [, ms] }) => ms);
	assert.ok(waits.includes(1_000), "even if that is shorter, for a second");
	mock.restore();
	const store = await open({ writeWaitMaxMs: 60_000 });
	const wait = "LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1.2); RETURN NULL; END $$";
	const trigger = "CREATE TRIGGER waits AFTER INSERT ON pets EXECUTE FUNCTION wait()";
	await runSql(databaseUrl, `CREATE FUNCTION wait() RETURNS trigger ${wait}; ${trigger}`);
	assert.equal((await store.createPet(pet)).outcome, "created");
});

test("postgres: until a restore has filled the last table that reads need, reads fail", async (context) => {
	const { open, databaseUrl } = await engines.postgres(context);
	const store = await open();
	await runSql(databaseUrl, "DELETE FROM schema_version");
	await assert.rejects(store.version(), { name: "StorageUnavailable", message: /^a table of the store is empty: / });
});

test("postgres: reads of one tick use one statement, and equal lists share one result", async (context) => {
	const { open } = await engines.postgres(context);
	const store = await open();
	await Promise.all([1, 2, 3].map(() => store.createPet(pet)));
	const query = context.mock.method(pg.Client.prototype, "query");
	const gets = Array.from({ length: 100 }, (_, index) => store.getPet(BigInt(index % 5)));
	const lists = Array.from({ length: 50 }, () => store.listPets({ after: 0n, limit: 20 }));
	assert.equal((await Promise.all(gets)).filter(({ json }) => json).length, 60);
	for (const page of await Promise.all(lists)) assert.equal(petsOf(page).length, 3);
	const texts = query.mock.calls.map(({ arguments: [sent] }) => String((sent as { text?: string }).text));
	// One statement for the gets and one for the lists.
	assert.equal(texts.filter((text) => text.includes("FROM pets")).length, 2, texts.join("\n"));
	const laterMs = performance.now() + 5_000;
	context.mock.method(performance, "now", () => laterMs);
	for (let count = 0; count < 3; count++) await store.createPet(pet);
	const searches = query.mock.calls.filter(({ arguments: [sent] }) => /relkind = 'f'/.test(String(sent)));
	assert.equal(searches.length, 1, "after five seconds, the first create searches for shards");
});

test("postgres: a batch is one statement, with new or used Idempotency-Keys, and two with both", async (context) => {
	const database = await databaseFor(context);
	const { pool } = await openPool(database.url);
	context.after(() => pool.end());
	const { max, query_timeout, keepAlive, keepAliveInitialDelayMillis } = pool.options;
	assert.deepEqual([max, query_timeout, keepAlive, keepAliveInitialDelayMillis], [10, 5_000, true, 5_000]);
	const limits = "SELECT current_setting('statement_timeout') || current_setting('lock_timeout') AS limits";
	assert.deepEqual((await pool.query(limits)).rows, [{ limits: "4s3s" }]);
	const query = context.mock.method(pg.Client.prototype, "query");
	const createIn = async (isPlaced: boolean, ...keys: (string | undefined)[]) => {
		const before = query.mock.callCount();
		const keyOf = (key?: string) => (key ? { caller: "a", key } : undefined);
		const batch = keys.map((key) => ({ pet, idempotencyKey: keyOf(key), nowMs: Date.now() }));
		const results = await createAll(pool, createRetry(Math.random), batch, () => isPlaced);
		const said = results.map(({ id, outcome }) => `${outcome} ${id}`).join(", ");
		return `${query.mock.callCount() - before}: ${said}`;
	};
	const create = (...keys: (string | undefined)[]) => createIn(false, ...keys);
	assert.equal(await create(undefined, undefined), "1: created 1, created 2");
	assert.equal(await create("a", "b", undefined, "a"), "1: created 3, created 4, created 5, replayed 3");
	assert.equal(await create("b", "a"), "1: replayed 4, replayed 3");
	assert.equal(await create("c", "b", undefined, "d"), "2: created 6, replayed 4, created 7, created 8");
	// Where Citus has placed the tables, the statements stand in a transaction.
	assert.equal(await createIn(true, undefined, "e"), "3: created 9, created 10");
	assert.match(String(query.mock.calls.at(-3)?.arguments[0]), /'synchronous_commit'/);
	assert.equal(await createIn(true, "e", "f"), "4: replayed 10, created 11");
	await database.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'too late'; END $$;
		CREATE CONSTRAINT TRIGGER late AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fail()`);
	for (const isPlaced of [false, true]) await assert.rejects(createIn(isPlaced, undefined), /too late/);
});

test("postgres: no read touches the counter row, whose versions an old transaction keeps", async (context) => {
	const { open, databaseUrl } = await engines.postgres(context);
	const store = await open();
	for (const _ of [1, 2]) await store.createPet(pet);
	await store.edits.apply({ petId: 2n, editor: "a", action: "remove" });
	const holder = await connect(context, databaseUrl);
	await holder.query("BEGIN; LOCK TABLE counters IN ACCESS EXCLUSIVE MODE");
	const { lastId, lastEdit } = await store.version();
	assert.deepEqual([lastId, lastEdit], [2n, 1n], "the removed animal's id was assigned");
	const page = await store.listPets({ after: 0n, limit: 9 });
	assert.deepEqual([page.version.lastId, (await store.getPet(1n)).version.lastId], [2n, 2n]);
	assert.equal(await store.keys.findByHash("none"), undefined);
	await holder.query("ROLLBACK");
});

test("postgres: a connection lost in a transaction fails only its caller", async (context) => {
	const database = await databaseFor(context);
	const links = new Set<Link>();
	const port = await startProxy(context, new URL(database.url), (bytes, to, link) => {
		links.add(link);
		to.write(bytes);
	});
	const url = Object.assign(new URL(database.url), { port: String(port) }).href;
	const store = await openStore(url, Date.now);
	context.after(() => store.close());
	const other = await connect(context, database.url);
	await other.query("BEGIN; LOCK TABLE keys");
	const key = { id: "a", name: "A", scopes: ["pets:read"], createdAtMs: 5 };
	const secret = { hash: "h", last4: "0001", createdAtMs: 5 };
	const refused = assert.rejects(store.keys.add(key, secret), StorageUnavailable);
	const waiting = `SELECT 1 FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'animal-store' AND wait_event_type = 'Lock'`;
	await until("the transaction to wait for the lock", async () => (await database.query(waiting)).length > 0);
	for (const link of links) link.end();
	await refused;
	await other.query("ROLLBACK");
	await store.keys.add(key, secret);
	assert.equal((await store.keys.findByHash("h"))?.id, "a");
});
