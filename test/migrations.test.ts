// Opening stores of earlier schemas, created from their SQL: no data is lost or changed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import Database from "better-sqlite3";
import { type NewPet, petStatuses } from "../src/contract/pet.ts";
import { openStore } from "../src/store/open.ts";
import { testDatabase } from "./postgres.ts";
import { temporaryFolder } from "./service.ts";
import { runSql } from "./sql.ts";
import { until } from "./until.ts";

const read = (name: string) => readFileSync(new URL(`../src/store/migrations/${name}`, import.meta.url), "utf8");

/** Runs SQL on a new, empty database of schema 1. @returns its DATABASE_URL */
type Made = (context: TestContext, sql: string) => Promise<string>;

const engines: Record<string, Made> = {
	async sqlite(context, sql) {
		const file = join(temporaryFolder(context), "animals.db");
		const database = new Database(file);
		database.pragma("foreign_keys = OFF");
		database.function("sha256", (text) => String(text)); // for migration 002
		database.exec(`PRAGMA application_id = 0x50455453; ${read("sqlite-001.sql")}; PRAGMA user_version = 1; ${sql}`);
		database.close();
		return `sqlite:${file}`;
	},
	async postgres(context, sql) {
		const database = await testDatabase();
		context.after(() => database.drop());
		await database.query(`CREATE TABLE schema_version (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL);
			INSERT INTO schema_version VALUES (1, 1); ${read("postgres-001.sql")}; ${sql}`);
		await database.query("UPDATE counters SET last_id = (SELECT max(id) FROM pets)");
		return database.url;
	},
};

const names = ["Rex", "1 Rex", "- sold", "it's", 'a "b" \\ c', "😀\u{10ffff}", "e\u0301 é", " x "];
const pets = names.flatMap((name, row) =>
	[undefined, ...petStatuses].map((status, column): NewPet => {
		const categoryId = [1n, -(2n ** 63n), 2n ** 63n - 1n, 9007199254740993n][(row + column) % 4] ?? 0n;
		return status ? { name, categoryId, status } : { name, categoryId };
	}),
);

for (const [engine, make] of Object.entries(engines)) {
	test(`${engine}: Idempotency-Keys of schema 1 are still valid after the migration`, async (context) => {
		const nowMs = Date.now();
		const rows = pets.map(({ name, categoryId, status }, index) => {
			const values = [index + 1, `'${name.replaceAll("'", "''")}'`, categoryId, status ? `'${status}'` : "NULL"];
			return `INSERT INTO pets (id, name, category_id, status) VALUES (${values.join(", ")});
				INSERT INTO retries VALUES ('a', 'k${index}', ${index + 1}, ${nowMs});`;
		});
		const gone = `INSERT INTO retries VALUES ('a', 'gone', 999999, ${nowMs});`;
		const url = await make(context, rows.join("\n") + gone);
		for (let start = 0; start < 2; start++) {
			const store = await openStore(url, () => nowMs);
			for (const [index, pet] of pets.entries()) {
				const idempotencyKey = { caller: "a", key: `k${index}` };
				const id = BigInt(index + 1);
				assert.deepEqual(await store.createPet(pet, idempotencyKey), { id, outcome: "replayed" }, pet.name);
				const other = { ...pet, name: `${pet.name}.` };
				assert.deepEqual(await store.createPet(other, idempotencyKey), { id, outcome: "reused" }, pet.name);
				assert.deepEqual(await store.getPet(id), { id, ...pet });
			}
			const next = { id: BigInt(pets.length + 1), outcome: start === 0 ? "created" : "replayed" };
			assert.deepEqual(await store.createPet({ name: "next", categoryId: 1n }, { caller: "a", key: "gone" }), next);
			await store.close();
		}
	});

	test(`${engine}: a store of schema 3 is upgraded at the start: nothing is lost, and its animals can be edited`, async (context) => {
		const sql = `INSERT INTO pets (id, name, category_id) VALUES (1, 'Rex', 1), (2, 'Mia', 1);
			${[2, 3].map((number) => read(`${engine}-00${number}.sql`)).join("\n")}
			INSERT INTO keys (id, name, scopes, created_at_ms) VALUES ('key_a', 'a', 'pets:read', 5);
			INSERT INTO secrets VALUES ('h', 'key_a', 1, '0001', 5, NULL);
			INSERT INTO idempotency_keys VALUES ('a', 'k', 2, 'f', ${Date.now()});
			${engine === "sqlite" ? "PRAGMA user_version = 3" : "UPDATE schema_version SET version = 3"};`;
		const url = await make(context, sql);
		for (let start = 0; start < 2; start++) {
			const store = await openStore(url, Date.now);
			assert.equal((await store.keys.list()).length, 1);
			const edit = { petId: 2n, editor: "a", action: "remove" } as const;
			assert.equal((await store.edits.apply(edit)).outcome, start === 0 ? "edited" : "removed");
			assert.equal((await store.countPets(0n, 10)).lastEdit, 1n);
			assert.deepEqual((await store.listPets({ after: 0n, limit: 9 })).pets, [{ id: 1n, name: "Rex", categoryId: 1n }]);
			assert.deepEqual(await store.createPet({ name: "Bo", categoryId: 1n }, { caller: "a", key: "k" }), {
				id: 2n,
				outcome: "replayed",
			});
			await store.close();
		}
	});
}

const onePet = "INSERT INTO pets (id, name, category_id) VALUES (1, 'Rex', 1)";

/** What a newer version does to the store at its start. */
const upgrades: Record<string, (url: string) => Promise<unknown>> = {
	async sqlite(url) {
		const database = new Database(url.slice("sqlite:".length));
		database.pragma("user_version = 99");
		database.close();
	},
	postgres: (url) => runSql(url, "UPDATE schema_version SET version = 99"),
};

for (const [engine, upgrade] of Object.entries(upgrades)) {
	test(`${engine}: a node whose store a newer version upgrades stores nothing any more, says so once, and reads on`, async (context) => {
		const url = await engines[engine]?.(context, onePet);
		assert.ok(url);
		const reasons: string[] = [];
		const store = await openStore(url, Date.now, { onFatal: (reason) => void reasons.push(reason) });
		context.after(() => store.close());
		const pet = { name: "Tom", categoryId: 1n };
		assert.equal((await store.createPet(pet)).id, 2n);
		await upgrade(url);
		for (const idempotencyKey of [undefined, { caller: "a", key: "k" }, undefined])
			await assert.rejects(store.createPet(pet, idempotencyKey), { name: "StorageUnavailable" });
		assert.equal(store.writeState(), "stopped");
		assert.equal(reasons.length, 1);
		assert.match(reasons[0] ?? "", /^a newer animal-store has upgraded .*: writes are rejected until /);
		const { pets: kept } = await store.listPets({ after: 0n, limit: 10 });
		assert.deepEqual(
			kept.map(({ name }) => name),
			["Rex", "Tom"],
		);
	});
}

test("a node without creates notices an upgrade too: its probes ask", async (context) => {
	const nodes = Object.entries(upgrades).map(async ([engine, upgrade]) => {
		const url = await engines[engine]?.(context, onePet);
		assert.ok(url);
		const reasons: string[] = [];
		const store = await openStore(url, Date.now, { onFatal: (reason) => void reasons.push(reason) });
		context.after(() => store.close());
		await upgrade(url);
		await until(`the probes of ${engine} to notice`, () => store.writeState() === "stopped");
		assert.equal(reasons.length, 1);
		assert.match(reasons[0] ?? "", /^a newer animal-store has upgraded /);
	});
	await Promise.all(nodes);
});

test("postgres: a migration is sent statement by statement, in one transaction", async (context) => {
	const database = await testDatabase();
	context.after(() => database.drop());
	await database.query(`CREATE TABLE sent (transaction xid8, query TEXT);
		CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql AS
			$$ BEGIN INSERT INTO sent VALUES (pg_current_xact_id(), current_query()); END $$;
		CREATE EVENT TRIGGER each ON ddl_command_end EXECUTE FUNCTION note()`);
	await (await openStore(database.url, Date.now)).close();
	const { rows } = await database.query("SELECT transaction, query FROM sent WHERE query NOT LIKE '%schema_version%'");
	assert.ok(rows.length > 10, `${rows.length} commands`);
	assert.equal(new Set(rows.map(({ query }) => query)).size, rows.length, "no two commands came in one query");
	assert.equal(new Set(rows.map(({ transaction }) => transaction)).size, 1);
});
