// The edits of a SQLite store.

import type Database from "better-sqlite3";
import { replacesName } from "../edits.ts";
import type { EditRecord, IdempotencyKey } from "../records.ts";
import type { Edits } from "../store.ts";
import { columnList, createRecordReader, tables } from "../tables.ts";
import type { WriteCommand } from "./commands.ts";
import { eraseName } from "./erase.ts";

interface EditAccess {
	file: string;
	database: Database.Database;
	/** Runs a query in a snapshot of its own. */
	readNow: <Result>(query: () => Result) => Result;
	write: WriteCommand;
	now: () => number;
}

const toEdit = createRecordReader<EditRecord>(tables.edits);

export function createEdits({ file, database, readNow, write, now }: EditAccess): Edits {
	const page = database
		.prepare<unknown[], unknown[]>(`SELECT ${columnList(tables.edits)} FROM edits WHERE id > ? ORDER BY id LIMIT ?`)
		.safeIntegers()
		.raw();
	/** An animal has at most one key, from its create. Reads all keys, and so not in the transaction of the edit. */
	const keyOfPet = database.prepare<unknown[], IdempotencyKey>(
		"SELECT caller, key FROM idempotency_keys WHERE pet_id = ?",
	);
	return {
		async apply(edit) {
			const idempotencyKey = edit.action === "remove" ? readNow(() => keyOfPet.get(edit.petId)) : undefined;
			const result = await write("editPet", { edit, idempotencyKey, nowMs: now() });
			const { outcome } = result;
			const name = outcome === "edited" ? result.replacedName : undefined;
			return { outcome, isErased: !replacesName(edit, outcome) || eraseName(file, name) };
		},
		list: async (after, limit) => readNow(() => page.all(after, limit).map(toEdit)),
	};
}
