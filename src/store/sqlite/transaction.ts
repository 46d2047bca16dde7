// Runs the transactions of transactions.ts in SQLite, within the transaction of the writer thread.

import type Database from "better-sqlite3";
import type { Dialect, Transaction } from "../dialect.ts";
import type { Row, Statement } from "../tables.ts";
import { applicationId } from "./file.ts";

/** The writer holds an exclusive lock on the whole file, so rows need no locks. */
export const dialect: Dialect = {
	forUpdate: "",
	nextEditId: "SELECT coalesce(max(id), 0) + 1 FROM edits",
	probe: `PRAGMA application_id = ${applicationId}`,
	addCounts: [],
};

/** Integers are bigints. Values are bound by position: SQLite is slow at finding one of many values by name. */
export function rowsOf(database: Database.Database, { text, values = [] }: Statement): Row[] {
	const bound: unknown[] = [];
	const sql = text.replaceAll(/\$(\d+)/g, (_, number) => {
		bound.push(values[number - 1]);
		return "?";
	});
	const statement = database.prepare(sql).safeIntegers();
	if (statement.reader) return statement.raw().all(...bound) as Row[];
	statement.run(...bound);
	return [];
}

/** Must be called in a transaction. */
export function runTransaction<Result>(database: Database.Database, transaction: Transaction<Result>): Result {
	let step = transaction.next();
	while (!step.done) step = transaction.next(rowsOf(database, step.value));
	return step.value;
}
