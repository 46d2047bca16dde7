// The edits of a PostgreSQL store: each is one transaction, with an id from the counter row of the edits.

import type pg from "pg";
import { erasedFingerprint } from "../idempotency.ts";
import type { EditRecord } from "../records.ts";
import { type EditOutcome, type Edits, type NewEdit, refuseOtherHistory } from "../store.ts";
import { columnList, columnNames, columnsOf, createRecordReader, createRowWriter, tables } from "../tables.ts";
import type { Retry } from "./errors.ts";
import { type Read, selectWithState } from "./state.ts";
import { inTransaction } from "./transaction.ts";

const editedPet = `SELECT name, status AS "fromStatus" FROM pets WHERE id = $1 FOR UPDATE`;
const removal = "SELECT 1 FROM edits WHERE pet_id = $1 AND action = 'remove'";
const nextId = "UPDATE counters SET last_id = last_id + 1 WHERE name = 'edits' RETURNING last_id";
const addEdit = `INSERT INTO edits (${columnList(tables.edits)})
	VALUES (${columnsOf(tables.edits).map((_, index) => `$${index + 1}`)})`;
const eraseKeys = "UPDATE idempotency_keys SET fingerprint = $1 WHERE pet_id = $2";
const page = {
	name: "edits",
	text: selectWithState(columnNames(tables.edits), "FROM edits WHERE id > $1 ORDER BY id LIMIT $2"),
};

const toEdit = createRecordReader<EditRecord>(tables.edits);
const toEditRow = createRowWriter(tables.edits);

interface EditAccess {
	pool: pg.Pool;
	read: Read;
	retry: Retry;
	now: () => number;
}

export function createEdits({ pool, read, retry, now }: EditAccess): Edits {
	return {
		apply: (edit) => inTransaction(pool, retry, (client) => editPet(client, edit, now())),
		async list(after, limit, history) {
			const { rows, shown } = await read(page, [after, limit]);
			refuseOtherHistory(shown.history, history);
			return rows.map(toEdit);
		},
	};
}

async function editPet(client: pg.PoolClient, edit: NewEdit, nowMs: number): Promise<EditOutcome> {
	const { petId, editor, action } = edit;
	const [pet] = (await client.query(editedPet, [petId])).rows;
	if (!pet) return (await client.query(removal, [petId])).rows.length > 0 ? "removed" : "absent";
	if (action === "set-status" && (edit.status ?? null) === pet.fromStatus) return "unchanged";
	if (action === "rename" && edit.name === pet.name) return "unchanged";
	if (action === "set-status")
		await client.query("UPDATE pets SET status = $1 WHERE id = $2", [edit.status ?? null, petId]);
	else if (action === "rename") await client.query("UPDATE pets SET name = $1 WHERE id = $2", [edit.name, petId]);
	else await client.query("DELETE FROM pets WHERE id = $1", [petId]);
	if (action === "remove") await client.query(eraseKeys, [erasedFingerprint, petId]);
	const statuses = action === "rename" ? {} : { fromStatus: pet.fromStatus };
	const toStatus = action === "set-status" ? edit.status : undefined;
	const [{ last_id: id }] = (await client.query(nextId)).rows;
	await client.query(addEdit, toEditRow({ id, atMs: nowMs, editor, action, petId, ...statuses, toStatus }));
	return "edited";
}
