// Compares the declared tables with the tables that the migrations create, on both engines.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import Database from "better-sqlite3";
import { filterNames, filters } from "../../src/contract/filters.ts";
import { readMigrations } from "../../src/store/migrations.ts";
import { columnsOf, insertRows, type Table, tables } from "../../src/store/tables.ts";
import { runSql } from "../support/sql.ts";
import { engines } from "./engines.ts";

/** A column in the form in which the live schema is read, such as `pets.status text optional`. */
const shown = (table: unknown, column: unknown, type: unknown, isOptional: boolean) =>
	`${table}.${column} ${type}${isOptional ? " optional" : ""}`;
const declared = Object.values<Table>(tables).flatMap((table) =>
	columnsOf(table).map(({ name, type, isOptional }) => shown(table.name, name, type, isOptional)),
);
/** What belongs to one store or engine, or follows from other tables, so that `animal-store copy` does not copy it. */
const internal =
	/^(counters|leases|pet_count_changes|pet_counts|pet_total_changes|pet_totals|settings|schema_version)\./;
/** A column that older versions wrote. */
const unused = /^edits\.erased_at_ms /;

/** SQL that reads the live schema in the form of the declared columns, and the indexes. */
const schemas = {
	sqlite: {
		columns: `SELECT t.name AS "table", c.name AS "column", CASE c.type WHEN 'INTEGER' THEN 'bigint' ELSE lower(c.type) END
			AS type, c."notnull" = 0 AND c.pk = 0 AS optional
			FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
		indexes: "SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql <> ''",
	},
	postgres: {
		columns: `SELECT table_name AS "table", column_name AS "column", replace(data_type, 'integer', 'bigint') AS type,
			is_nullable = 'YES' AS optional FROM information_schema.columns WHERE table_schema = current_schema()`,
		indexes: "SELECT indexdef AS sql FROM pg_indexes WHERE schemaname = current_schema()",
	},
};

for (const engine of ["sqlite", "postgres"] as const) {
	test(`${engine}: the declared tables are those of the schema, and each filter has its index`, async (context) => {
		const { open, databaseUrl } = await engines[engine](context);
		await open();
		const { columns, indexes } = schemas[engine];
		const rows = await runSql(databaseUrl, columns);
		const live = rows.map(({ table, column, type, optional }) => shown(table, column, type, Boolean(Number(optional))));
		const shared = live.filter((column) => !internal.test(column) && !unused.test(column));
		assert.deepEqual(shared.sort(), declared.toSorted());
		const indexed = (await runSql(databaseUrl, indexes)).map(({ sql }) => String(sql)).join("\n");
		for (const field of filterNames) {
			const { index } = filters[field];
			const columns = `${tables.pets.columns[field].name}, id`;
			assert.match(indexed, new RegExp(`INDEX ${index} .*\\(${columns}\\)`), `${index} has the columns ${columns}`);
		}
		if (engine === "postgres") {
			const fixed = "SELECT FROM pg_class WHERE relname LIKE 'pet\\_%\\_changes' AND relreplident = 'f'";
			assert.equal((await runSql(databaseUrl, fixed)).length, 2, "logical replication moves tables without a key");
		}
		assert.match(indexed, /\bedits\b.*\(pet_id\)/, "there is an index for an animal's edits");
	});
}

test("sqlite: a statement inserts at most as many values as SQLite accepts", () => {
	for (const table of Object.values<Table>(tables))
		for (const { values = [] } of insertRows(table, Array(40_000).fill(columnsOf(table))))
			assert.ok(values.length <= 32_766, `${values.length} into ${table.name}`);
});

test("sqlite: the first schema is byte for byte that of existing stores", () => {
	const database = new Database(":memory:");
	for (const { version, sql } of readMigrations("sqlite").after(0)) if (version === 5) database.exec(sql);
	const entries = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").raw().all();
	const digest = "303cc53c3127d4caa280ce4c86f1a86e8bcaff7f7bcbcb73d5badf83ed50adca";
	assert.equal(hash("sha256", JSON.stringify(entries)), digest);
});
