// Access to the stored rows of SQLite, for copying a whole store.

import type Database from "better-sqlite3";
import type { Row, Rows } from "../rows.ts";
import { columnList, keyList, type Table, tables } from "../tables.ts";
import type { WriteCommand } from "./commands.ts";

interface RowsOptions {
	database: Database.Database;
	/** Runs a query in the snapshot of this turn. */
	read: <Result>(query: () => Result) => Result;
	write: WriteCommand;
}

export function createSqliteRows({ database, read, write }: RowsOptions): Rows {
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
		count: async (table) => Number(all(`SELECT count(*) FROM ${tables[table].name}`, [])[0]?.[0]),
		read: async (table, after, limit) => all(pageOf(tables[table], after, limit), after ?? []),
		readLastPetId: async () => (all("SELECT max(id) FROM pets", [])[0]?.[0] as bigint | null) ?? undefined,
		readLastIssuedId: async () =>
			(all("SELECT seq FROM sqlite_sequence WHERE name = 'pets'", [])[0]?.[0] as bigint | undefined) ?? 0n,
		write: (table, rows) => write("addRows", { table, rows }),
		readCopyMark: async () => setting("copy_of")?.toString(),
		markCopy: (mark) => write("setSetting", { name: "copy_of", value: Buffer.from(mark) }),
		async finishCopy({ cursorSecret, lastIssuedId }) {
			await write("setLastId", { lastId: lastIssuedId });
			await write("setSetting", { name: "cursor_secret", value: cursorSecret });
			await write("setSetting", { name: "copy_of", value: undefined });
		},
	};
}

function pageOf(table: Table, after: Row | undefined, limit: number): string {
	const key = keyList(table);
	const where = after ? `WHERE (${key}) > (${after.map(() => "?").join(", ")})` : "";
	return `SELECT ${columnList(table)} FROM ${table.name} ${where} ORDER BY ${key} LIMIT ${limit}`;
}
