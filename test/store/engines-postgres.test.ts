// Engines that speak PostgreSQL's protocol, and where an engine with shards places the tables. Databases simulate the
// engines: functions replace version() and the settings, tables replace Citus 13's catalog. Foreign tables are real.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { databaseFor, withSettings } from "../support/postgres.ts";
import { runSql } from "../support/sql.ts";
import { withStore } from "../support/store-reads.ts";
import { until } from "../support/until.ts";

const rex = { name: "Rex", categoryId: 1n };

/** A database in which functions in `public` have priority over PostgreSQL's own functions. */
async function standIn(context: TestContext, sql: string) {
	const database = await databaseFor(context);
	await database.query(sql);
	return withSettings(database.url, { search_path: "public,pg_catalog" });
}

/** SQL that simulates a server with this version() and these settings. */
const bannered = (banner: string, settings: Record<string, string | null> = {}) =>
	`CREATE FUNCTION public.version() RETURNS text LANGUAGE sql AS $$ SELECT '${banner}' $$;
	CREATE FUNCTION public.current_setting(name text, missing boolean) RETURNS text LANGUAGE sql AS $$ SELECT CASE
		${Object.entries(settings)
			.map(([name, value]) => `WHEN name = '${name}' THEN ${value === null ? "NULL" : `'${value}'`}`)
			.join(" ")}
		WHEN false THEN '' ELSE pg_catalog.current_setting(name, missing) END $$`;

async function opened(url: string): Promise<void> {
	assert.equal((await withStore(url, (store) => store.createPet(rex))).id, 1n);
}

test("an engine that is not PostgreSQL is refused by its version(), and nothing is created", async (context) => {
	for (const banner of [
		"CockroachDB CCL v25.4.5 (x86_64-pc-linux-gnu, built 2026/02/11, go1.25.5)",
		"PostgreSQL 15.2-YB-2025.1.2.0-b0 on x86_64-pc-linux-gnu",
		"SomethingDB 3.1 (compatible with PostgreSQL 16)",
	]) {
		const url = await standIn(context, bannered(banner, { server_version_num: "130000", fsync: null }));
		await assert.rejects(openStore(url, Date.now), {
			name: "StoreRefused",
			message: `the server is not PostgreSQL (${banner}): use PostgreSQL 14 or newer`,
		});
		assert.deepEqual(await runSql(url, "SELECT FROM pg_tables WHERE schemaname = 'public'"), []);
	}
	const old = await standIn(context, bannered("PostgreSQL 13.22", { server_version_num: "130022" }));
	await assert.rejects(openStore(old, Date.now), { message: "this PostgreSQL (13.22) is too old: use 14 or newer" });
	const plain = ["PostgreSQL 15.12 (Debian 15.12-0+deb12u2) on x86_64-pc-linux-gnu", "PostgreSQL 16.4 on aarch64"];
	for (const banner of plain) await opened(await standIn(context, bannered(banner, { server_version_num: "140000" })));
	const latin = await standIn(context, bannered("PostgreSQL 16.4", { server_encoding: "LATIN1" }));
	await assert.rejects(openStore(latin, Date.now), { message: /^the database has the encoding LATIN1: / });
});

test("fsync may be off only in Neon, whose commits wait for other servers' disks", async (context) => {
	const banner = "PostgreSQL 17.5 on aarch64-unknown-linux-gnu, compiled by gcc";
	const off = bannered(banner, { fsync: "off" });
	await assert.rejects(openStore(await standIn(context, off), Date.now), { message: /turn on fsync/ });
	const neon = bannered(banner, { fsync: "off", "neon.timeline_id": "de200bd42b49cc1814412c7e592dd6e9" });
	await opened(await standIn(context, neon));
});

test("settings with which writes would be lost or wrong are refused at the start", async (context) => {
	const { url, query } = await databaseFor(context);
	await (await openStore(url, Date.now)).close();
	const isRefused = (message: RegExp, at = url) =>
		assert.rejects(openStore(at, Date.now), { name: "StoreRefused", message });
	await isRefused(/^array_nulls is off, .*: turn it on$/, withSettings(url, { array_nulls: "off" }));
	const replica = withSettings(url, { session_replication_role: "replica" });
	await isRefused(/^session_replication_role is replica, .*: set it to origin$/, replica);
	const drop = `CREATE FUNCTION drop_pet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
		CREATE TRIGGER dropping BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION drop_pet()`;
	const changes: [change: string, undo: string, refusal: RegExp][] = [
		["ALTER TABLE pets SET UNLOGGED", "ALTER TABLE pets SET LOGGED", /^a table .* is UNLOGGED, .*: set it to LOGGED$/],
		["ALTER TABLE edits SET UNLOGGED", "ALTER TABLE edits SET LOGGED", /^a table .* is UNLOGGED/],
		["ALTER TABLE key_uses SET UNLOGGED", "ALTER TABLE key_uses SET LOGGED", /^a table .* is UNLOGGED/],
		["ALTER TABLE schema_version SET UNLOGGED", "ALTER TABLE schema_version SET LOGGED", /^a table .* is UNLOGGED/],
		["ALTER TABLE pets ENABLE REPLICA TRIGGER pets_moved", "ALTER TABLE pets ENABLE TRIGGER ALL", /^a trigger /],
		["ALTER TABLE pets DISABLE TRIGGER ALL", "ALTER TABLE pets ENABLE TRIGGER ALL", /^a trigger .*: enable it$/],
		[drop, "DROP TRIGGER dropping ON pets", /^a BEFORE trigger .* may change or drop animals: use an AFTER trigger$/],
	];
	for (const [change, undo, message] of changes) {
		await query(change);
		await isRefused(message);
		await query(undo);
	}
	await opened(url);
});

/** The part of Citus 13's catalog that shows where tables are placed. */
const citus = `CREATE TABLE pg_dist_partition (logicalrelid regclass NOT NULL, partmethod "char" NOT NULL, partkey text,
	colocationid integer NOT NULL DEFAULT 0, repmodel "char" NOT NULL DEFAULT 's', autoconverted boolean NOT NULL DEFAULT false)`;
const place = (table: string, method: string, colocation = 0, replication = "s") =>
	`INSERT INTO pg_dist_partition VALUES ('${table}', '${method}', NULL, ${colocation}, '${replication}')`;
const tables = ["pets", "counters", "idempotency_keys", "edits"];
/** Replaces the table of animals with a hash-partitioned table, whose only partition is a foreign table. */
const spread = `CREATE EXTENSION file_fdw; CREATE SERVER shard FOREIGN DATA WRAPPER file_fdw; DROP TABLE pets;
	CREATE TABLE pets (id BIGINT, name TEXT, category_id BIGINT, status TEXT) PARTITION BY HASH (id);
	CREATE FOREIGN TABLE pets_0 PARTITION OF pets FOR VALUES WITH (MODULUS 1, REMAINDER 0)
	SERVER shard OPTIONS (filename '/dev/null')`;
const onOneShard = (names: string[]) => names.map((name) => place(name, "n", 7)).join(";");

test("the layout is single: tables that Citus spreads over shards are refused at the start", async (context) => {
	const rows: [sql: string, refused?: string][] = [
		["SELECT"],
		[onOneShard(tables)],
		[tables.map((name) => place(name, "n", 0)).join(";")],
		[place("keys", "n", 3, "t")],
		[place("pets", "h", 7), "pets"],
		[`${onOneShard(["pets", "counters", "edits"])};${place("idempotency_keys", "h", 7)}`, "idempotency_keys"],
		[place("edits", "a", 7), "edits"],
		[place("counters", "n", 3, "t"), "counters"],
		[onOneShard(["pets"]), "counters"],
		[`${onOneShard(tables.slice(0, 3))};${place("edits", "n", 8)}`, "edits"],
	];
	const database = await databaseFor(context);
	await (await openStore(database.url, Date.now)).close();
	await database.query(citus);
	const needs = 'the layout of the store is "single", which needs pets, counters, idempotency_keys, edits in one place';
	const fix = "undo that, or use schema-based sharding (docs/postgresql.md)";
	const query = context.mock.method(pg.Client.prototype, "query");
	for (const [sql, refused] of rows) {
		query.mock.resetCalls();
		await database.query(`DELETE FROM pg_dist_partition; ${sql}`);
		const opening = withStore(database.url, (store) => store.createPet(rex));
		const message = `${needs}, but ${refused} is on several shards, or apart from the others: ${fix}`;
		if (refused) await assert.rejects(opening, { name: "StoreRefused", message });
		else await opening;
		const names = query.mock.calls.map(({ arguments: [sent] }) => (sent as { name?: string }).name);
		assert.equal(names.includes("addPetsWithin"), !refused && sql.includes("pets"), sql);
	}
});

test("a node notices that animals were spread over shards or fsync is off, and stops writing", async (context) => {
	const now = performance.now.bind(performance);
	let aheadMs = 0;
	context.mock.method(performance, "now", () => now() + aheadMs);
	const single = 'the layout of the store is "single", .* but pets';
	const unavailable = { name: "StorageUnavailable" };
	const rows: [creators: number, sql: string, problem: string][] = [
		[4, place("pets", "h", 7), `${single} is on several shards, or apart from the others: `],
		[0, spread, `${single} has foreign tables: `],
		[4, bannered("PostgreSQL 17.5", { fsync: "off" }), "the server acknowledges .*: turn on fsync$"],
	];
	await Promise.all(
		rows.map(async ([creators, sql, problem]) => {
			const url = await standIn(context, citus);
			const reasons: string[] = [];
			const store = await openStore(url, Date.now, { onFatal: (reason) => void reasons.push(reason) });
			context.after(() => store.close());
			assert.equal((await store.createPet(rex)).id, 1n);
			const refusals = Array.from({ length: creators }, () => assert.rejects(createForever(store), unavailable));
			await runSql(url, sql);
			aheadMs += 5_000;
			// A readiness check asks for this state, too.
			await until("the node to notice", () => store.writeState() === "stopped");
			await Promise.all(refusals);
			const refused = { ...unavailable, message: new RegExp(`^${problem}`) };
			for (const key of [undefined, { caller: "a", key: "k" }])
				await assert.rejects(store.createPet(rex, key), refused);
			await assert.rejects(store.edits.apply({ petId: 1n, editor: "a", action: "remove" }), refused);
			assert.equal(reasons.length, 1);
			assert.match(reasons[0] ?? "", new RegExp(`^${problem}`));
			await store.listPets({ after: 0n, limit: 9 });
			await store.keys.revoke("none", 0);
		}),
	);
});

/** Creates animals until one is refused. */
async function createForever(store: Store): Promise<never> {
	for (;;) await store.createPet(rex);
}

test("animals in foreign tables are refused, in one, partitioned by hash or inherited", async (context) => {
	const { url, query } = await databaseFor(context);
	await (await openStore(url, Date.now)).close();
	await query(spread);
	const refused = { name: "StoreRefused", message: /"single", .* but pets has foreign tables: undo that/ };
	await assert.rejects(openStore(url, Date.now), refused);
	for (const sql of [
		"ALTER TABLE pets DETACH PARTITION pets_0; DROP TABLE pets; ALTER TABLE pets_0 RENAME TO pets",
		"ALTER TABLE pets RENAME TO others; CREATE TABLE pets (LIKE others); ALTER TABLE others INHERIT pets",
	]) {
		await query(sql);
		await assert.rejects(openStore(url, Date.now), refused);
	}
});

test("each write waits for disk and standbys, whatever is set; other warnings are ignored", async (context) => {
	const { url, query } = await databaseFor(context);
	await (await openStore(url, Date.now)).close();
	await query(`CREATE TABLE waited (setting text);
		CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			INSERT INTO waited VALUES (current_setting('synchronous_commit'));
			RAISE WARNING 'noted'; RETURN NULL; END $$;
		CREATE TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON pets EXECUTE FUNCTION note();
		CREATE TRIGGER noted AFTER INSERT ON secrets EXECUTE FUNCTION note();
		UPDATE pg_collation SET collversion = 'that of an older ICU' WHERE collversion IS NOT NULL`);
	for (const [set, waited] of Object.entries({ off: "on", local: "on", remote_apply: "remote_apply" })) {
		await query("TRUNCATE waited");
		const settings = { synchronous_commit: set, client_min_messages: "debug5" };
		await withStore(withSettings(url, settings), async (store) => {
			const { id } = await store.createPet(rex);
			await store.createPet({ ...rex, name: "Réx" }, { caller: set, key: "k" });
			await store.edits.apply({ petId: id, editor: "a", action: "remove" });
			const secret = { hash: set, last4: "1234", createdAtMs: 0 };
			await store.keys.add({ id: set, name: set, scopes: [], createdAtMs: 0 }, secret);
			assert.ok((await store.findPets({ name: "rex", limit: 9 })).pets.length > 0);
		});
		const times = await query("SELECT setting, count(*) AS times FROM waited GROUP BY 1");
		assert.deepEqual(times, [{ setting: waited, times: "4" }]);
	}
});
