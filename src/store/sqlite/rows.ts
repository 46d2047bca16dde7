// Access to the stored rows of SQLite, for copying a whole store.

import type Database from "better-sqlite3";
import { type Row, type Rows, rowsSql, tables } from "../tables.ts";
import type { WriteCommand } from "./commands.ts";
import type { TurnReads } from "./turn-reads.ts";

interface RowsOptions {
	database: Database.Database;
	read: TurnReads["read"];
	write: WriteCommand;
}

export function createSqliteRows({ database, read, write }: RowsOptions): Rows {
	const all = (sql: string, values: Row = []) =>
		read(() => {
			const statement = database.prepare(sql).safeIntegers().raw();
			return statement.all(...values) as Row[];
		});
	/** The only value of the only row. */
	const value = async (sql: string) => (await all(sql))[0]?.[0] ?? undefined;
	return {
		count: async (table) => Number(await value(`SELECT count(*) FROM ${tables[table].name}`)),
		read: (table, after, limit) =>
			all(
				rowsSql(tables[table], after, limit, () => "?"),
				after,
			),
		readLastPetId: async () => (await value("SELECT max(id) FROM pets")) as bigint | undefined,
		readLastIssuedId: async () =>
			((await value("SELECT seq FROM sqlite_sequence WHERE name = 'pets'")) as bigint | undefined) ?? 0n,
		write: (table, rows) => write("addRows", { table, rows }),
		readCopyMark: async () => (await value("SELECT value FROM settings WHERE name = 'copy_of'"))?.toString(),
		markCopy: (mark) => write("setSetting", { name: "copy_of", value: Buffer.from(mark) }),
		async finishCopy({ cursorSecret, lastIssuedId }) {
			await write("setLastId", { lastId: lastIssuedId });
			await write("setSetting", { name: "cursor_secret", value: cursorSecret });
			await write("setSetting", { name: "copy_of", value: undefined });
		},
	};
}
