// Compares the declared tables with the tables that the migrations create, on both engines.

import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import Database from "better-sqlite3";
import { filterNames } from "../../src/contract/operations.ts";
import { readMigrations } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/open.ts";
import { columnsOf, type Table, tables } from "../../src/store/tables.ts";
import { databaseFor } from "../support/postgres.ts";
import { temporaryFolder } from "../support/service.ts";

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

test("sqlite: the declared tables are those of the schema, and each filter has its index", async (context) => {
	const file = join(temporaryFolder(context), "animals.db");
	await (await openStore(`sqlite:${file}`, Date.now)).close();
	const database = new Database(file, { readonly: true });
	context.after(() => database.close());
	const rows = database
		.prepare<[], { table: string; column: string; type: string; required: number; key: number }>(
			`SELECT t.name AS "table", c.name AS "column", c.type, c."notnull" AS required, c.pk AS key
			FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
		)
		.all();
	const indexes = database.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql <> ''");
	assertFiltersAreIndexed(indexes.pluck().all());
	assertDeclared(
		rows.map(({ table, column, type, required, key }) => ({
			table,
			column,
			type: type === "INTEGER" ? "bigint" : type.toLowerCase(),
			isOptional: required === 0 && key === 0,
		})),
	);
});

test("sqlite: the first schema is byte for byte that of existing stores", () => {
	const database = new Database(":memory:");
	for (const { version, sql } of readMigrations("sqlite").after(0)) if (version === 5) database.exec(sql);
	const entries = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").raw().all();
	const digest = "303cc53c3127d4caa280ce4c86f1a86e8bcaff7f7bcbcb73d5badf83ed50adca";
	assert.equal(hash("sha256", JSON.stringify(entries)), digest);
});

test("postgres: the declared tables are those of the schema, and each filter has its index", async (context) => {
	const database = await databaseFor(context);
	await (await openStore(database.url, Date.now)).close();
	const indexes = await database.query("SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()");
	assertFiltersAreIndexed(indexes.map(({ indexdef }) => String(indexdef)));
	const rows = await database.query(
		`SELECT table_name, column_name, data_type, is_nullable
		FROM information_schema.columns WHERE table_schema = current_schema()`,
	);
	assertDeclared(
		rows.map(({ table_name: table, column_name: column, data_type: type, is_nullable: nullable }) => ({
			table: String(table),
			column: String(column),
			type: type === "integer" ? "bigint" : String(type),
			isOptional: nullable === "YES",
		})),
	);
});
