// Locks a PostgreSQL store against services or writers while a command works. Erases from the store's tables the names
// that edits have replaced.

import { setTimeout as sleep } from "node:timers/promises";
import type { NodePool } from "../../store/postgres/connections.ts";
import { toStoreError } from "../../store/postgres/errors.ts";
import { openPool } from "../../store/postgres/pool.ts";
import { isPlainPostgres } from "../../store/postgres/server.ts";
import { StoreRefused } from "../../store/store.ts";
import { isToErase, tableNames, tables } from "../../store/tables.ts";
import type { WriteLock } from "./sqlite.ts";

/** For about this time, the server still lists a connection that has ended. */
const endingMs = 2_000;
const listRetryMs = 100;

/** Finds the services: each keeps at least one connection, with the name in its URL or the default name. */
const others = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
	AND application_name IN ('animal-store', current_setting('application_name'))`;

/** See sqlite.ts. */
export async function refuseOpenStore(databaseUrl: string, work: string): Promise<void> {
	const { pool } = await openPool(databaseUrl, { mustExist: true, connectionsMax: 1 });
	try {
		const startedAtMs = performance.now();
		while ((await pool.query(others)).rows.length > 0) {
			if (performance.now() - startedAtMs > endingMs)
				throw new StoreRefused(
					`the database is in use: stop the service, and a pooler that keeps its connections, then ${work}`,
				);
			await sleep(listRetryMs);
		}
	} finally {
		await pool.end();
	}
}

/** See sqlite.ts. */
export async function lockWrites(databaseUrl: string): Promise<WriteLock> {
	const { pool } = await openPool(databaseUrl, { mustExist: true, connectionsMax: 1 });
	const client = await pool.take();
	async function release(): Promise<void> {
		client.release(true);
		await pool.end();
	}
	async function check(): Promise<void> {
		try {
			await client.query("SELECT 1");
		} catch (error) {
			throw new StoreRefused(`the lock against writers was lost (${(error as Error).message}): try again`);
		}
	}
	try {
		await client.query("BEGIN");
		// The transaction lasts as long as the work, and has no other statements.
		await client.query(`SELECT set_config(name, '0', true) FROM pg_settings
			WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`);
		await client.query(`LOCK TABLE ${tableNames.map((name) => tables[name].name).join(", ")} IN SHARE MODE`);
	} catch (error) {
		await release();
		throw new StoreRefused(`the tables cannot be locked (${(error as Error).message}): stop all writers`);
	}
	return { check, release };
}

/** The time-out of VACUUM: a large table takes longer than a request may. */
const limitMs = 30 * 60_000;
/** A connection that has just ended reports its dead rows late. */
const attempts = 2;
const retryMs = 500;

/** See sqlite.ts. @returns false if a long transaction may still see a name, or if the server does not report this */
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
 * Frees the space of removed rows. Rows that a long transaction, such as a dump, may still see stay and are counted as
 * dead. If no dead row of pets is left, none of the same edits is left in idempotency_keys.
 * @returns whether no dead row of pets is left
 */
async function vacuum(pool: NodePool): Promise<boolean> {
	for (const table of ["pets", "idempotency_keys"]) await pool.query(`VACUUM ${table}`);
	const { rows } = await pool.query("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relid = 'pets'::regclass");
	return rows[0]?.n_dead_tup === 0n;
}
