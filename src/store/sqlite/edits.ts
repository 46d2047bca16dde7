// The edits of a SQLite store: reading them, and the writer thread's command, which changes or removes an animal and
// records the edit.

import type Database from "better-sqlite3";
import type { PetStatus } from "../../contract/pet.ts";
import { erasedFingerprint } from "../idempotency.ts";
import type { EditRecord } from "../records.ts";
import { type EditOutcome, type Edits, type NewEdit, refuseOtherHistory } from "../store.ts";
import { columnList, createRecordReader, createRowWriter, insertSql, tables } from "../tables.ts";
import type { TurnReads } from "./turn-reads.ts";

export interface EditRequest {
	edit: NewEdit;
	nowMs: number;
}

interface EditedPet {
	name: string;
	fromStatus: PetStatus | null;
}

const toEditRow = createRowWriter(tables.edits);

/** @returns a function that must be called in a transaction */
export function prepareEdit(database: Database.Database): (request: EditRequest) => EditOutcome {
	const editedPet = database.prepare<unknown[], EditedPet>(
		`SELECT name, status AS "fromStatus" FROM pets WHERE id = ?`,
	);
	const removal = database.prepare("SELECT 1 FROM edits WHERE pet_id = ? AND action = 'remove'");
	const setStatus = database.prepare("UPDATE pets SET status = ? WHERE id = ?");
	const rename = database.prepare("UPDATE pets SET name = ? WHERE id = ?");
	const remove = database.prepare("DELETE FROM pets WHERE id = ?");
	const eraseKeys = database.prepare("UPDATE idempotency_keys SET fingerprint = ? WHERE pet_id = ?");
	const nextId = database.prepare<[], bigint>("SELECT coalesce(max(id), 0) + 1 FROM edits").pluck().safeIntegers();
	const addEdit = database.prepare(insertSql(tables.edits));

	function change(edit: NewEdit): void {
		if (edit.action === "set-status") setStatus.run(edit.status ?? null, edit.petId);
		else if (edit.action === "rename") rename.run(edit.name, edit.petId);
		else remove.run(edit.petId);
		if (edit.action === "remove") eraseKeys.run(erasedFingerprint, edit.petId);
	}

	return ({ edit, nowMs }) => {
		const { petId, editor, action } = edit;
		const pet = editedPet.get(petId);
		if (!pet) return removal.get(petId) ? "removed" : "absent";
		const { name, fromStatus } = pet;
		if (action === "set-status" && (edit.status ?? null) === fromStatus) return "unchanged";
		if (action === "rename" && edit.name === name) return "unchanged";
		change(edit);
		const statuses = action === "rename" ? {} : { fromStatus };
		const toStatus = action === "set-status" ? edit.status : undefined;
		addEdit.run(...toEditRow({ id: nextId.get(), atMs: nowMs, editor, action, petId, ...statuses, toStatus }));
		return "edited";
	};
}

interface EditAccess {
	database: Database.Database;
	turn: TurnReads;
	write: (command: "editPet", request: EditRequest) => Promise<EditOutcome>;
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
