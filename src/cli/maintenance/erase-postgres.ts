// Erases the names that edits have replaced from the tables of a PostgreSQL store.

import { setTimeout as sleep } from "node:timers/promises";
import type { NodePool } from "../../store/postgres/connections.ts";
import { toStoreError } from "../../store/postgres/errors.ts";
import { openPool } from "../../store/postgres/pool.ts";
import { isPlainPostgres } from "../../store/postgres/server.ts";
import { isToErase } from "../../store/tables.ts";

/** A large table takes longer than a request may. */
const limitMs = 30 * 60_000;
/** A connection that has just ended reports its dead rows late. */
const attempts = 2;
const retryMs = 500;

/** See work.ts. @returns false if a long transaction may still see one, or if the server does not report it */
export async function eraseNames(url: string, now: () => number): Promise<boolean> {
	const { pool } = await openPool(url, { mustExist: true, connectionsMax: 1 }, limitMs);
	try {
		const { rows } = await pool.query(`SELECT max(id) AS last FROM edits WHERE ${isToErase}`);
		const { last } = rows[0];
		if (last === null) return true;
		for (let attempt = 1; !(await vacuum(pool)); attempt++) {
			if (attempt === attempts) return false;
			await sleep(retryMs);
		}
		if (!(await isPlainPostgres(pool))) return false;
		const record = `UPDATE edits SET erased_at_ms = $1 WHERE id <= $2 AND ${isToErase}`;
		await pool.run((client) => client.query(record, [now(), last]));
		return true;
	} catch (error) {
		throw toStoreError(error);
	} finally {
		await pool.end();
	}
}

/**
 * Frees the space of removed rows. A row that a long transaction may still see stays, such as during a dump, and VACUUM
 * counts it as dead. What it frees in pets it then also frees of the same edits in idempotency_keys.
 * @returns whether nothing of pets is left
 */
async function vacuum(pool: NodePool): Promise<boolean> {
	for (const table of ["pets", "idempotency_keys"]) await pool.query(`VACUUM ${table}`);
	const { rows } = await pool.query("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = 'pets'::regclass");
	return rows[0]?.n_dead_tup === 0n;
}
