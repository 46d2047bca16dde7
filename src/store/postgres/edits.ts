// The edits of a PostgreSQL store: each is one transaction, with an id from the counter row of the edits.

import type pg from "pg";
import { replacesName } from "../edits.ts";
import { erasedFingerprint } from "../idempotency.ts";
import type { EditRecord, IdempotencyKey } from "../records.ts";
import type { EditOutcome, Edits, NewEdit } from "../store.ts";
import { columnList, columnsOf, createRecordReader, createRowWriter, tables } from "../tables.ts";
import { isPlainPostgres } from "./engine.ts";
import type { Query } from "./pool.ts";
import type { Retry } from "./retries.ts";
import { inTransaction } from "./transaction.ts";

const editedPet = `SELECT name, status AS "fromStatus" FROM pets WHERE id = $1 FOR UPDATE`;
const removal = "SELECT 1 FROM edits WHERE pet_id = $1 AND action = 'remove'";
const nextId = "UPDATE counters SET last_id = last_id + 1 WHERE name = 'edits' RETURNING last_id";
const addEdit = `INSERT INTO edits (${columnList(tables.edits)})
	VALUES (${columnsOf(tables.edits).map((_, index) => `$${index + 1}`)})`;
const eraseKey = `UPDATE idempotency_keys SET fingerprint = $1 WHERE caller = $2 AND key = $3 AND pet_id = $4`;
const page = {
	name: "edits",
	text: `SELECT ${columnList(tables.edits)} FROM edits WHERE id > $1 ORDER BY id LIMIT $2`,
};
/** Reading all Idempotency-Keys and tidying a large table take longer than a request may. */
const longLimitMs = 30 * 60_000;

const toEdit = createRecordReader<EditRecord>(tables.edits);
const toEditRow = createRowWriter(tables.edits);

interface EditAccess {
	pool: pg.Pool;
	query: Query;
	retry: Retry;
	now: () => number;
}

export function createEdits({ pool, query, retry, now }: EditAccess): Edits {
	return {
		async apply(edit) {
			const key = edit.action === "remove" ? await retry(() => keyOfPet(pool, edit.petId)) : undefined;
			const outcome = await inTransaction(pool, retry, (client) => editPet(client, edit, key, now()));
			return { outcome, isErased: !replacesName(edit, outcome) || (await vacuumPets(pool)) };
		},
		list: async (after, limit) => (await query(page, [after, limit])).rows.map(toEdit),
	};
}

async function editPet(
	client: pg.PoolClient,
	edit: NewEdit,
	key: IdempotencyKey | undefined,
	nowMs: number,
): Promise<EditOutcome["outcome"]> {
	const { petId, editor, action } = edit;
	const [pet] = (await client.query(editedPet, [petId])).rows;
	if (!pet) return (await client.query(removal, [petId])).rows.length > 0 ? "removed" : "absent";
	if (action === "set-status" && (edit.status ?? null) === pet.fromStatus) return "unchanged";
	if (action === "rename" && edit.name === pet.name) return "unchanged";
	if (action === "set-status")
		await client.query("UPDATE pets SET status = $1 WHERE id = $2", [edit.status ?? null, petId]);
	else if (action === "rename") await client.query("UPDATE pets SET name = $1 WHERE id = $2", [edit.name, petId]);
	else await client.query("DELETE FROM pets WHERE id = $1", [petId]);
	if (action === "remove" && key) await client.query(eraseKey, [erasedFingerprint, key.caller, key.key, petId]);
	const statuses = action === "rename" ? {} : { fromStatus: pet.fromStatus };
	const toStatus = action === "set-status" ? edit.status : undefined;
	const [{ last_id: id }] = (await client.query(nextId)).rows;
	await client.query(addEdit, toEditRow({ id, atMs: nowMs, editor, action, petId, ...statuses, toStatus }));
	return "edited";
}

/** An animal has at most one key, from its create. Reads all keys, and so not in the transaction of the edit. */
async function keyOfPet(pool: pg.Pool, petId: bigint): Promise<IdempotencyKey | undefined> {
	const text = "SELECT caller, key FROM idempotency_keys WHERE pet_id = $1";
	const { rows } = await withoutLimit(pool, { text, values: [petId] });
	return rows[0];
}

/**
 * Frees the space of removed rows. A row that a reader of an old state may still see stays, such as during a dump, and
 * VACUUM counts it as dead.
 * @returns false if one may be left, or if the server refused or cannot tell
 */
async function vacuumPets(pool: pg.Pool): Promise<boolean> {
	try {
		await withoutLimit(pool, { text: "VACUUM pets" });
		const { rows } = await pool.query("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = 'pets'::regclass");
		return rows[0]?.n_dead_tup === 0n && (await isPlainPostgres(pool));
	} catch {
		return false;
	}
}

async function withoutLimit(pool: pg.Pool, query: { text: string; values?: unknown[] }): Promise<pg.QueryResult> {
	const client = await pool.connect();
	let isBroken = true;
	try {
		await client.query(`SET statement_timeout = ${longLimitMs}`);
		const result = await client.query({ ...query, query_timeout: longLimitMs } as pg.QueryConfig);
		await client.query("RESET statement_timeout");
		isBroken = false;
		return result;
	} finally {
		client.release(isBroken);
	}
}
