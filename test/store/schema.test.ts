// Compares the declared tables with the tables that the migrations create, on both engines.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { test } from "node:test";
import Database from "better-sqlite3";
import { filterNames } from "../../src/contract/operations.ts";
import { readMigrations } from "../../src/store/migrations.ts";
import { columnsOf, type Table, tables } from "../../src/store/tables.ts";
import { runSql } from "../support/sql.ts";
import { engines } from "./engines.ts";

interface LiveColumn {
	table: string;
	column: string;
	type: string;
	isOptional: boolean;
}

/** The declared columns, in the form in which the live schema is read. */
const declared = Object.values<Table>(tables).flatMap((table) =>
	columnsOf(table).map(({ name, type, isOptional }) => ({ table: table.name, column: name, type, isOptional })),
);
/** What belongs to one store or engine, or follows from other tables, so that `animal-store copy` does not copy it. */
const internal = [
	"counters",
	"leases",
	"pet_count_changes",
	"pet_counts",
	"pet_total_changes",
	"pet_totals",
	"settings",
	"schema_version",
];
/** A column that older versions wrote. */
const unused = "edits.erased_at_ms";

function assertDeclared(live: LiveColumn[]): void {
	const names = ({ table, column }: LiveColumn) => `${table}.${column}`;
	const sorted = (columns: LiveColumn[]) => columns.toSorted((a, b) => (names(a) < names(b) ? -1 : 1));
	const shared = live.filter((column) => !internal.includes(column.table) && names(column) !== unused);
	assert.deepEqual(sorted(shared), sorted(declared));
}

function assertFiltersAreIndexed(indexes: string[]): void {
	for (const field of filterNames) {
		const columns = `(${tables.pets.columns[field].name}, id)`;
		assert.ok(
			indexes.some((index) => index.includes(columns)),
			`there is an index ${columns}`,
		);
	}
	assert.ok(
		indexes.some((index) => /\bedits\b.*\(pet_id\)/.test(index)),
		"there is an index for an animal's edits",
	);
}

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
		assertFiltersAreIndexed((await runSql(databaseUrl, indexes)).map(({ sql }) => String(sql)));
		const rows = await runSql(databaseUrl, columns);
		assertDeclared(
			rows.map(({ table, column, type, optional }) => ({
				...{ table: String(table), column: String(column), type: String(type) },
				isOptional: Boolean(Number(optional)),
			})),
		);
	});
}

test("sqlite: the first schema is byte for byte that of existing stores", () => {
	const database = new Database(":memory:");
	for (const { version, sql } of readMigrations("sqlite").after(0)) if (version === 5) database.exec(sql);
	const entries = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").raw().all();
	const digest = "303cc53c3127d4caa280ce4c86f1a86e8bcaff7f7bcbcb73d5badf83ed50adca";
	assert.equal(hash("sha256", JSON.stringify(entries)), digest);
});
