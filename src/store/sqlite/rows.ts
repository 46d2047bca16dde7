// The rows of a SQLite store as they are kept.

import type Database from "better-sqlite3";
import { columnsOf, keyOf, type Row, type Rows, type Table } from "../rows.ts";
import type { Writer } from "./writer.ts";

interface RowsOptions {
	database: Database.Database;
	/** Runs a query in the snapshot of this turn. */
	read: <Result>(query: () => Result) => Result;
	write: Writer["write"];
}

export function sqliteRows({ database, read, write }: RowsOptions): Rows {
	const all = (sql: string, values: Row) =>
		read(() =>
			database
				.prepare(sql)
				.safeIntegers()
				.raw()
				.all(...values),
		) as Row[];
	const setting = (name: string) => database.prepare("SELECT value FROM settings WHERE name = ?").pluck().get(name);
	return {
		count: async (table) => Number(all(`SELECT count(*) FROM ${table}`, [])[0]?.[0]),
		read: async (table, after, limit) => all(pageOf(table, after, limit), after ?? []),
		lastPetId: async () => (all("SELECT max(id) FROM pets", [])[0]?.[0] as bigint | null) ?? undefined,
		lastGivenId: async () =>
			(all("SELECT seq FROM sqlite_sequence WHERE name = 'pets'", [])[0]?.[0] as bigint | undefined) ?? 0n,
		write: async (table, rows) => void (await write({ kind: "addRows", table, rows })),
		copyMark: async () => setting("copy_of")?.toString(),
		markCopy: async (mark) => void (await write({ kind: "setSetting", name: "copy_of", value: Buffer.from(mark) })),
		async finishCopy({ cursorSecret, lastGivenId }) {
			await write({ kind: "setLastId", lastId: lastGivenId });
			await write({ kind: "setSetting", name: "cursor_secret", value: cursorSecret });
			await write({ kind: "setSetting", name: "copy_of", value: undefined });
		},
	};
}

function pageOf(table: Table, after: Row | undefined, limit: number): string {
	const key = keyOf(table).join(", ");
	const where = after ? `WHERE (${key}) > (${after.map(() => "?").join(", ")})` : "";
	return `SELECT ${columnsOf(table).join(", ")} FROM ${table} ${where} ORDER BY ${key} LIMIT ${limit}`;
}
