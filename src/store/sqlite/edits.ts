// The edits of a SQLite store.

import type Database from "better-sqlite3";
import type { EditRecord } from "../records.ts";
import type { Edits } from "../store.ts";
import { columnList, createRecordReader, tables } from "../tables.ts";
import type { WriteCommand } from "./commands.ts";

interface EditAccess {
	database: Database.Database;
	/** Runs a query in a snapshot of its own. */
	readNow: <Result>(query: () => Result) => Result;
	write: WriteCommand;
	now: () => number;
}

const toEdit = createRecordReader<EditRecord>(tables.edits);

export function createEdits({ database, readNow, write, now }: EditAccess): Edits {
	const page = database
		.prepare<unknown[], unknown[]>(`SELECT ${columnList(tables.edits)} FROM edits WHERE id > ? ORDER BY id LIMIT ?`)
		.safeIntegers()
		.raw();
	return {
		apply: (edit) => write("editPet", { edit, nowMs: now() }),
		list: async (after, limit) => readNow(() => page.all(after, limit).map(toEdit)),
	};
}
