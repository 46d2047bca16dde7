// Locks a PostgreSQL store against services or writers while a command works, and erases former names from its tables.

import { setTimeout as sleep } from "node:timers/promises";
import { toStoreError } from "../../store/postgres/errors.ts";
import { openPool } from "../../store/postgres/pool.ts";
import { StoreRefused } from "../../store/store.ts";
import { tableNames, tables } from "../../store/tables.ts";
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

/** Frees the space of former rows, also while nodes run. Rows that a long transaction may still see stay. */
export async function eraseNames(databaseUrl: string): Promise<void> {
	const { pool } = await openPool(databaseUrl, { mustExist: true, connectionsMax: 1 }, limitMs);
	try {
		for (const table of ["pets", "idempotency_keys"]) await pool.query(`VACUUM ${table}`);
	} catch (error) {
		throw toStoreError(error);
	} finally {
		await pool.end();
	}
}
