// Stores of other versions: a next version, which the tests make, upgrades a store without loss; older ones refuse it.

import assert from "node:assert/strict";
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import Database from "better-sqlite3";
import pg from "pg";
import { verifyStore } from "../../src/cli/maintenance/verify.ts";
import { readMigrations } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/open.ts";
import { applicationId } from "../../src/store/sqlite/file.ts";
import { checkout } from "../support/checkout.ts";
import { databaseFor, withSettings } from "../support/postgres.ts";
import { temporaryFolder } from "../support/service.ts";
import { runSql } from "../support/sql.ts";
import { readPets, withStore } from "../support/store-reads.ts";
import { until } from "../support/until.ts";
import { engines } from "./engines.ts";

const expand = "-- oldest writer: 9\nALTER TABLE pets ADD COLUMN breed TEXT;\nUPDATE pets SET breed = name;\n";

type Version = typeof import("../../src/store/open.ts");

/** Copies the sources and adds migrations for each engine. @returns the copy's functions that open stores */
async function nextVersion(...steps: string[]): Promise<Version> {
	const tree = join(temporaryFolder({ after }), "next");
	for (const path of ["src", "client/src", "package.json"])
		cpSync(join(checkout, path), join(tree, path), { recursive: true });
	symlinkSync(join(checkout, "node_modules"), join(tree, "node_modules"));
	for (const engine of Object.keys(engines))
		for (const [index, sql] of steps.entries())
			writeFileSync(join(tree, `src/store/migrations/${engine}-${998 + index}.sql`), sql);
	return import(join(tree, "src/store/open.ts"));
}

/** Versions that tests of both engines use: each is a copy of all sources, which takes a second to load. */
const [expanding, contracting] = await Promise.all([
	nextVersion(expand),
	nextVersion(expand, "-- oldest writer: 998\nALTER TABLE pets DROP COLUMN breed;\n"),
]);

const pet = { name: "Rex", categoryId: 1n };
const keyOf = (index: number) => ({ caller: "a", key: `k${index}` });

/** The SQL of an older schema, as the program of that time created it. */
function olderSchema(engine: "sqlite" | "postgres", schema: number): string {
	const older = readMigrations(engine)
		.after(0)
		.filter(({ version }) => version <= schema);
	return older.map(({ sql }) => sql).join("\n");
}

/** A store of an older schema, with an edit of each kind. Its oldest writer is the first version. */
const makeOlder: Record<string, (url: string, schema: number, rows?: string) => Promise<unknown>> = {
	async sqlite(url, schema, rows = "") {
		const database = new Database(url.slice("sqlite:".length));
		database.pragma(`application_id = ${applicationId}`);
		database.exec(`${olderSchema("sqlite", schema)}${someRows};${rows}`);
		database.exec(`INSERT INTO settings VALUES ('applied_schema', CAST('${schema}' AS BLOB)); PRAGMA user_version = 5`);
		database.close();
	},
	async postgres(url, schema, rows = "") {
		const version = "CREATE TABLE schema_version (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL)";
		await runSql(url, `${version}; INSERT INTO schema_version VALUES (1, 5); ${olderSchema("postgres", schema)}`);
		await runSql(url, `${someRows}; ${rows}; INSERT INTO settings VALUES ('applied_schema', '${schema}')`);
		await runSql(url, "UPDATE counters SET last_id = 3");
	},
};
const someRows = `INSERT INTO pets (id, name, category_id, status) VALUES (1, 'Rex', 4, 'sold'), (3, 'Mia', -4, NULL);
	INSERT INTO edits (id, at_ms, editor, action, pet_id, from_status, to_status, erased_at_ms) VALUES
	(1, 10, 'Ann', 'set-status', 1, NULL, 'sold', NULL), (2, 20, 'Ann', 'rename', 3, NULL, NULL, NULL),
	(3, 30, 'Bo', 'remove', 2, 'pending', NULL, 40)`;

/** Names of categories as schema 7 compared them: without accents, but with the blanks. */
const olderNames = [
	[3n, "Kätzchen", "katzchen"],
	[7n, " Dog", " dog"],
	[8n, "dog", "dog"],
	[9n, "DOG ", "dog "],
	[11n, "  7", "  7"],
	[2n ** 62n, "หมู", "หม"],
] as const;

for (const [engine, make] of Object.entries(engines)) {
	test(`${engine}: names of categories of older schemas stay, and are compared anew`, async (context) => {
		const { databaseUrl: url, open } = await make(context);
		const rows = olderNames.map(([id, name, folded]) => `(${id}, '${name}', '${folded}')`);
		await makeOlder[engine]?.(url, 7, `INSERT INTO categories VALUES ${rows}`);
		const verified = async () => {
			const { problems, schema } = await verifyStore(url, { signal: new AbortController().signal });
			return [problems, schema];
		};
		if (engine === "sqlite") assert.deepEqual((await verified())[0], [], "before the upgrade, too");
		const { categories } = await open();
		const names = olderNames.map(([id, name]) => ({ id, name }));
		assert.deepEqual(await categories.names(), names);
		for (const [name, id] of Object.entries({ KÄTZCHEN: 3n, Dog: 7n, "dog ": 7n, หมู: 2n ** 62n })) {
			const [known] = await categories.apply([{ name }]);
			assert.deepEqual([known?.outcome, known?.id], ["unchanged", id], name);
		}
		const added = await categories.apply([{ name: "Katzchen" }, { name: "หมี" }, { id: 9n }, { name: "Dog" }]);
		assert.equal(`${added.map(({ outcome }) => outcome)}`, "named,named,forgotten,unchanged");
		if (engine === "sqlite") assert.deepEqual(await verified(), [[], 8]);
	});

	test(`${engine}: a store of the first schema gets categories, and keeps what older nodes wrote`, async (context) => {
		const { databaseUrl: url, open } = await make(context);
		await makeOlder[engine]?.(url, 5);
		const store = await open();
		const edits = [
			{ id: 1n, atMs: 10, editor: "Ann", action: "set-status", petId: 1n, toStatus: "sold" },
			{ id: 2n, atMs: 20, editor: "Ann", action: "rename", petId: 3n },
			{ id: 3n, atMs: 30, editor: "Bo", action: "remove", petId: 2n, fromStatus: "pending" },
		];
		assert.deepEqual(await store.edits.list(0n, 9), edits);
		assert.deepEqual(await store.categories.apply([{ name: "Dog" }]), [{ outcome: "named", id: 5n, name: "Dog" }]);
		const edit = { petId: 1n, editor: "Bo", action: "set-category", categoryId: 5n } as const;
		assert.equal((await store.edits.apply(edit)).outcome, "edited");
		// A node of the first version wrote like this.
		await runSql(url, "INSERT INTO pets (id, name, category_id) VALUES (4, 'Älter', 4)");
		await runSql(url, "UPDATE pets SET name = 'Newer' WHERE id = 3");
		const values = "5, 50, 'Ann', 'rename', 3, NULL, NULL, NULL";
		const columns = "id, at_ms, editor, action, pet_id, from_status, to_status, erased_at_ms";
		await runSql(url, `INSERT INTO edits (${columns}) VALUES (${values})`);
		const later = (await store.edits.list(3n, 9)).map(({ action, toCategoryId }) => `${action} ${toCategoryId}`);
		assert.deepEqual(later, ["set-category 5", "rename undefined"]);
		const found = async (name: string) => (await store.findPets({ name, limit: 9 })).pets.length;
		assert.deepEqual([await found("alter"), await found("newer"), await found("mia")], [1, 1, 0]);
		await assert.rejects(runSql(url, "UPDATE edits SET action = 'sell'"), /constraint/i);
	});

	test(`${engine}: while newer versions only add to the schema, older nodes write; then only read`, async (context) => {
		const { databaseUrl: url } = await make(context);
		const reasons: string[] = [];
		const open = (version: Pick<Version, "openStore">) =>
			version.openStore(url, Date.now, {
				onFatal: (reason, readsGoOn) => void reasons.push(`${reason}, reads go on: ${readsGoOn}`),
			});
		const older = await open({ openStore });
		const expanded = await open(expanding);
		assert.equal((await older.createPet(pet)).id, 1n);
		assert.equal((await expanded.createPet(pet)).id, 2n);
		assert.equal((await older.createPet(pet, keyOf(1))).id, 3n);
		await older.close();
		const again = await open({ openStore });
		assert.deepEqual(await again.createPet(pet, keyOf(1)), { id: 3n, outcome: "replayed" });
		await again.edits.apply({ petId: 1n, editor: "a", action: "remove" });
		assert.deepEqual(reasons, []);
		const last = await open(contracting);
		const unchanged = await last.categories.names();
		const refused = { name: "StorageUnavailable" };
		await assert.rejects(again.categories.apply([{ name: "Dog" }]), refused);
		await assert.rejects(again.edits.apply({ petId: 2n, editor: "a", action: "remove" }), refused);
		assert.deepEqual([await last.categories.names(), await last.edits.list(1n, 9)], [unchanged, []]);
		for (const key of [undefined, keyOf(2), undefined]) await assert.rejects(again.createPet(pet, key), refused);
		assert.equal(again.writeState(), "stopped");
		assert.equal(reasons.length, 1);
		const upgraded = /^a newer animal-store has upgraded .*: writes are rejected until .*, reads go on: true$/;
		assert.match(reasons[0] ?? "", upgraded);
		assert.equal((await readPets(again, { after: 0n, limit: 10 })).length, 2, "the older version keeps reading");
		assert.equal((await expanded.createPet(pet)).id, 4n);
		assert.equal((await last.createPet(pet)).id, 5n);
		const message =
			/was written by a newer animal-store \(schema 998, this one supports \d+\): upgrade this installation$/;
		await assert.rejects(open({ openStore }), { name: "StoreRefused", message });
		for (const store of [again, expanded, last, await open(expanding)]) await store.close();
	});
}

test("a node without creates notices an upgrade through its probes", async (context) => {
	const nodes = Object.entries(engines).map(async ([engine, make]) => {
		const { databaseUrl: url, open } = await make(context);
		const reasons: string[] = [];
		const store = await open({ onFatal: (reason) => void reasons.push(reason) });
		await runSql(url, engine === "sqlite" ? "PRAGMA user_version = 99" : "UPDATE schema_version SET version = 99");
		const now = performance.now.bind(performance);
		context.mock.method(performance, "now", () => now() + 5_000);
		await until(`the probes of ${engine} to notice`, () => store.writeState() === "stopped");
		assert.equal(reasons.length, 1);
		assert.match(reasons[0] ?? "", /^a newer animal-store has upgraded /);
	});
	await Promise.all(nodes);
});

test("postgres: a migration is sent statement by statement, in one transaction", async (context) => {
	const database = await databaseFor(context);
	await database.query(`CREATE TABLE sent (transaction xid8, query TEXT, timeout TEXT);
		CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql AS
			$$ BEGIN INSERT INTO sent VALUES (pg_current_xact_id(), current_query(), current_setting('statement_timeout')); END $$;
		CREATE EVENT TRIGGER each ON ddl_command_end EXECUTE FUNCTION note()`);
	const query = context.mock.method(pg.Client.prototype, "query");
	await (await openStore(database.url, Date.now)).close();
	type Sent = { queryMode?: string; query_timeout?: number };
	const sent = query.mock.calls.map(({ arguments: [given] }) => given as Sent);
	const limits = sent.filter(({ queryMode }) => queryMode).map(({ query_timeout }) => query_timeout);
	const others = "SELECT transaction, query, timeout FROM sent WHERE query NOT LIKE '%schema_version%'";
	const rows = await database.query(others);
	assert.ok(rows.length > 10, `${rows.length} commands`);
	assert.equal(new Set(rows.map(({ query }) => query)).size, rows.length, "no two commands came in one query");
	assert.equal(new Set(rows.map(({ transaction }) => transaction)).size, 1);
	const longest = [...rows.map(({ timeout }) => timeout), ...limits];
	assert.deepEqual(new Set(longest), new Set(["30min", 30 * 60_000]), "a large store takes long");
});

test("postgres: a start tries again after each failure that another node may cause", async (context) => {
	const { url } = await databaseFor(context);
	await (await openStore(url, Date.now)).close();
	const codes = ["42P07", "55P03", "42710", "40P01", "23505", "40001"];
	const { query } = pg.Client.prototype;
	context.mock.method(pg.Client.prototype, "query", function (this: pg.Client, ...given: unknown[]) {
		const code = String(given[0]).endsWith("FOR UPDATE") ? codes.pop() : undefined;
		return code ? Promise.reject(Object.assign(new Error("no"), { code })) : Reflect.apply(query, this, given);
	});
	await (await openStore(url, Date.now)).close();
	assert.deepEqual(codes, []);
});

test("postgres: where the engine refuses triggers, numbers of animals are counted when read", async (context) => {
	const database = await databaseFor(context);
	await database.query(`CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS
			$$ BEGIN RAISE EXCEPTION 'triggers are not supported' USING ERRCODE =
				CASE WHEN current_query() LIKE '%pets_added%' THEN '0A000' ELSE 'XX000' END; END $$;
		CREATE EVENT TRIGGER none ON ddl_command_start WHEN TAG IN ('CREATE TRIGGER') EXECUTE FUNCTION refuse()`);
	await withStore(database.url, async ({ createPet, edits, countPets, categories }) => {
		for (const categoryId of [1n, 2n, 2n]) await createPet({ name: "a", categoryId, status: "sold" });
		await edits.apply({ petId: 3n, editor: "a", action: "remove" });
		assert.deepEqual((await countPets()).counts, { available: 0, pending: 0, sold: 2, none: 0 });
		assert.deepEqual(
			await categories.list(10),
			[1n, 2n].map((id) => ({ id, animals: 1 })),
		);
	});
});

test("postgres: sweeps of two nodes add the rows of counts together, and no number changes", async (context) => {
	const { open, databaseUrl } = await engines.postgres(context);
	const [store, other] = await Promise.all([open(), open()]);
	await store.createPet({ name: "a", categoryId: 1n });
	const changes = "n % 3 - 1 FROM generate_series(1, 3000) AS n";
	await runSql(databaseUrl, `INSERT INTO pet_total_changes SELECT '', ${changes}`);
	await runSql(databaseUrl, `INSERT INTO pet_count_changes SELECT 1, '', ${changes}`);
	// A category whose animals are gone leaves no row.
	await runSql(databaseUrl, "INSERT INTO pet_count_changes VALUES (2, 'sold', 1), (2, 'sold', -1)");
	const both = "SELECT animals FROM pet_count_changes UNION ALL SELECT animals FROM pet_total_changes";
	const rows = async () => (await runSql(databaseUrl, both)).map(({ animals }) => String(animals));
	await Promise.all([store, other].map(({ sweepIdempotencyKeys }) => sweepIdempotencyKeys(9)));
	assert.deepEqual(await rows(), ["1", "1"]);
	assert.deepEqual(await store.categories.list(9), [{ id: 1n, animals: 1 }]);
	assert.deepEqual((await store.countPets()).counts, { available: 0, pending: 0, sold: 0, none: 1 });
});

test("postgres: a store is in the schema for new tables, even if a later one has another store", async (context) => {
	const { url, query } = await databaseFor(context);
	await withStore(url, ({ createPet }) => createPet(pet));
	await query("CREATE SCHEMA tenant");
	const tenant = withSettings(url, { search_path: "tenant,public" });
	await assert.rejects(openStore(tenant, Date.now, { mustExist: true }), /there is no store in this database/);
	assert.equal((await withStore(tenant, ({ createPet }) => createPet({ ...pet, name: "Mia" }))).id, 1n);
	assert.deepEqual(await query("SELECT name FROM public.pets"), [{ name: "Rex" }]);
});
