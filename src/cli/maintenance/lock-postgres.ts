// Keeps services or writers from a PostgreSQL store while a command works.

import { setTimeout as sleep } from "node:timers/promises";
import { openPool } from "../../store/postgres/pool.ts";
import { StoreRefused } from "../../store/store.ts";
import { tableNames, tables } from "../../store/tables.ts";
import type { WriteLock } from "./lock-sqlite.ts";

/** A connection that has just ended is listed a little longer. */
const endingMs = 2_000;
const retryMs = 100;

/** A service keeps at least one connection, with the name in its URL or the default one. */
const others = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
	AND application_name IN ('animal-store', current_setting('application_name'))`;

/** See work.ts. */
export async function refuseOpenStore(databaseUrl: string, work: string): Promise<void> {
	const { pool } = await openPool(databaseUrl, { mustExist: true, connectionsMax: 1 });
	try {
		const startedAtMs = performance.now();
		while ((await pool.query(others)).rows.length > 0) {
			if (performance.now() - startedAtMs > endingMs)
				throw new StoreRefused(
					`the database is in use: stop the service, and a pooler that keeps its connections, then ${work}`,
				);
			await sleep(retryMs);
		}
	} finally {
		await pool.end();
	}
}

/** See work.ts. */
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
		// The transaction is as long as the work, without other statements.
		await client.query(`SELECT set_config(name, '0', true) FROM pg_settings
			WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`);
		await client.query(`LOCK TABLE ${tableNames.map((name) => tables[name].name).join(", ")} IN SHARE MODE`);
	} catch (error) {
		await release();
		throw new StoreRefused(`the tables cannot be locked (${(error as Error).message}): stop all writers`);
	}
	return { check, release };
}
