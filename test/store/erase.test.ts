// Removed and replaced names: SQLite overwrites them in their table, and `pets erase-names` rewrites a store without the
// copies that are left. The tests search the bytes of the files.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import Database from "better-sqlite3";
import { fingerprintOf } from "../../src/store/idempotency.ts";
import { assertRefused, call, callWell } from "../support/command.ts";
import { databaseFor } from "../support/postgres.ts";
import { startProgram } from "../support/program.ts";
import { temporaryStore } from "../support/service.ts";
import { runSql } from "../support/sql.ts";
import { readPet, withStore } from "../support/store-reads.ts";

const editor = "operator";
const idempotencyKey = { caller: "a", key: "k" };
const trillian = { name: "Trillian", categoryId: 1n };

test("sqlite: a removed or replaced name is overwritten in the table", async (context) => {
	const databaseUrl = temporaryStore(context);
	await withStore(databaseUrl, async ({ createPet, edits }) => {
		await createPet({ name: "Ferdinand the Bull", categoryId: 1n });
		await createPet(trillian, idempotencyKey);
		await edits.apply({ petId: 1n, editor, action: "rename", name: "Bo" });
		await edits.apply({ petId: 2n, editor, action: "remove" });
	});
	const file = readFileSync(databaseUrl.slice("sqlite:".length));
	for (const text of ["Ferdinand", trillian.name, fingerprintOf(trillian)]) assert.ok(!file.includes(text), text);
});

test("sqlite: erase-names leaves no former row in the files, and is refused while a service runs", async (context) => {
	const databaseUrl = temporaryStore(context);
	const file = databaseUrl.slice("sqlite:".length);
	const environment = { DATABASE_URL: databaseUrl };
	await withStore(databaseUrl, ({ createPet }) => createPet({ name: "Rex", categoryId: 1n }));
	// A program without `secure_delete` leaves the bytes of removed rows.
	const other = new Database(file);
	other.exec("INSERT INTO pets (name, category_id) VALUES ('Ferdinand the Bull', 1); DELETE FROM pets WHERE id = 2");
	other.close();
	assert.ok(readFileSync(file).includes("Ferdinand"));
	const service = await startProgram(context, environment);
	const refusal = /^animal-store: .* is in use: stop the service, then erase names\n$/;
	await assertRefused([[["pets", "erase-names"], refusal]], { environment });
	await service.stop();
	assert.match(await callWell(["pets", "erase-names"], { environment }), /^erased old names in \d+\.\d s\n$/);
	const { stdout, stderr } = await call(["pets", "erase-names", "--json"], { environment });
	assert.match(stdout, /^\{"durationMs":\d+\}\n$/);
	assert.equal(stderr, `in ${databaseUrl}\n`);
	for (const path of [file, `${file}-wal`].filter((path) => existsSync(path)))
		assert.ok(!readFileSync(path).includes("Ferdinand"), path);
	await withStore(databaseUrl, async (store) => {
		assert.equal((await readPet(store, 1n))?.name, "Rex");
		assert.equal((await store.createPet(trillian)).id, 3n, "no id is used again");
	});
});

test("postgres: erase-names frees the space of former rows while a store is open", async (context) => {
	const { url } = await databaseFor(context);
	const areInTables = async () => {
		await runSql(url, "CHECKPOINT");
		const [pets, keys] = Object.entries({ pets: "Trillian", idempotency_keys: fingerprintOf(trillian) }).map(
			([table, text]) => `position('${text}'::bytea IN pg_read_binary_file(pg_relation_filepath('${table}'))) > 0`,
		);
		return Object.values((await runSql(url, `SELECT ${pets} AS pets, ${keys} AS keys`))[0] ?? {});
	};
	await withStore(url, async ({ createPet, edits }) => {
		for (const name of ["Rex", "Trillian", "Bo"]) await createPet({ name, categoryId: 1n }, { caller: "a", key: name });
		await runSql(url, "ANALYZE");
		const ours = "tablename IN ('pets', 'idempotency_keys')";
		const sampled = await runSql(url, `SELECT attname FROM pg_stats WHERE ${ours} ORDER BY 1`);
		const columns = sampled.map(({ attname }) => attname).join(" ");
		assert.equal(columns, "caller category_id created_at_ms id key pet_id status", "no names and fingerprints");
		await edits.apply({ petId: 2n, editor, action: "remove" });
		assert.deepEqual(await areInTables(), [true, true]);
		const said = await callWell(["pets", "erase-names"], { environment: { DATABASE_URL: url } });
		assert.match(said, /^erased old names in \d+\.\d s\n$/);
		assert.deepEqual(await areInTables(), [false, false]);
	});
});
