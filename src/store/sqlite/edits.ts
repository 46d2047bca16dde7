// The edits of a SQLite store.

import type Database from "better-sqlite3";
import type { EditRecord } from "../records.ts";
import { type Edits, refuseOtherHistory } from "../store.ts";
import { columnList, createRecordReader, tables } from "../tables.ts";
import type { WriteCommand } from "./commands.ts";
import type { TurnReads } from "./turn-reads.ts";

interface EditAccess {
	database: Database.Database;
	turn: TurnReads;
	write: WriteCommand;
	now: () => number;
}

const toEdit = createRecordReader<EditRecord>(tables.edits);

export function createEdits({ database, turn, write, now }: EditAccess): Edits {
	const page = database
		.prepare<unknown[], unknown[]>(`SELECT ${columnList(tables.edits)} FROM edits WHERE id > ? ORDER BY id LIMIT ?`)
		.safeIntegers()
		.raw();
	return {
		apply: (edit) => write("editPet", { edit, nowMs: now() }),
		list: (after, limit, history) =>
			turn.read(() => {
				refuseOtherHistory(turn.shown().history, history);
				return page.all(after, limit).map(toEdit);
			}),
	};
}
