// The writer thread's command for edits: changes or removes an animal and records the edit.

import type Database from "better-sqlite3";
import type { PetStatus } from "../../contract/pet.ts";
import { erasedFingerprint } from "../idempotency.ts";
import type { IdempotencyKey } from "../records.ts";
import type { NewEdit } from "../store.ts";
import { createRowWriter, insertSql, tables } from "../tables.ts";

export interface EditRequest {
	edit: NewEdit;
	/** The key that created the animal. */
	idempotencyKey: IdempotencyKey | undefined;
	nowMs: number;
}

/** `replacedName` is the name that the animal no longer has. */
export type EditResult =
	| { outcome: "edited"; replacedName?: string | undefined }
	| { outcome: "unchanged" | "removed" | "absent" };

interface EditedPet {
	name: string;
	fromStatus: PetStatus | null;
}

const toEditRow = createRowWriter(tables.edits);

/** @returns a function that must be called in a transaction */
export function prepareEdit(database: Database.Database): (request: EditRequest) => EditResult {
	const editedPet = database.prepare<unknown[], EditedPet>(
		`SELECT name, status AS "fromStatus" FROM pets WHERE id = ?`,
	);
	const removal = database.prepare("SELECT 1 FROM edits WHERE pet_id = ? AND action = 'remove'");
	const setStatus = database.prepare("UPDATE pets SET status = ? WHERE id = ?");
	const rename = database.prepare("UPDATE pets SET name = ? WHERE id = ?");
	const remove = database.prepare("DELETE FROM pets WHERE id = ?");
	const eraseKey = database.prepare(
		"UPDATE idempotency_keys SET fingerprint = ? WHERE caller = ? AND key = ? AND pet_id = ?",
	);
	const nextId = database.prepare<[], bigint>("SELECT coalesce(max(id), 0) + 1 FROM edits").pluck().safeIntegers();
	const addEdit = database.prepare(insertSql(tables.edits));

	function change({ edit, idempotencyKey: key }: EditRequest): void {
		if (edit.action === "set-status") setStatus.run(edit.status ?? null, edit.petId);
		else if (edit.action === "rename") rename.run(edit.name, edit.petId);
		else remove.run(edit.petId);
		if (edit.action === "remove" && key) eraseKey.run(erasedFingerprint, key.caller, key.key, edit.petId);
	}

	return (request) => {
		const { edit, nowMs } = request;
		const { petId, editor, action } = edit;
		const pet = editedPet.get(petId);
		if (!pet) return { outcome: removal.get(petId) ? "removed" : "absent" };
		const { name, fromStatus } = pet;
		if (action === "set-status" && (edit.status ?? null) === fromStatus) return { outcome: "unchanged" };
		if (action === "rename" && edit.name === name) return { outcome: "unchanged" };
		database.pragma("secure_delete = ON");
		change(request);
		database.pragma("secure_delete = FAST");
		const statuses = action === "rename" ? {} : { fromStatus };
		const toStatus = action === "set-status" ? edit.status : undefined;
		addEdit.run(...toEditRow({ id: nextId.get(), atMs: nowMs, editor, action, petId, ...statuses, toStatus }));
		return { outcome: "edited", replacedName: action === "set-status" ? undefined : name };
	};
}
