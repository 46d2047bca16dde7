// Locks a PostgreSQL store while a command works, and erases former names from its tables.

import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { durably } from "../../store/postgres/connections.ts";
import { toStoreError } from "../../store/postgres/errors.ts";
import { openPool } from "../../store/postgres/pool.ts";
import { rowsOf } from "../../store/postgres/transaction.ts";
import { StoreRefused } from "../../store/store.ts";
import { type Statement, tableNames, tables } from "../../store/tables.ts";
import type { LockedStore } from "./sqlite.ts";

/** The server still lists a connection for about this time after the connection has ended. */
const endingMs = 2_000;
const listRetryMs = 100;

/** Finds running services: each keeps a connection, with the default application name or that in DATABASE_URL. */
const others = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
	AND application_name IN ('animal-store', current_setting('application_name'))`;

export async function refuseOpenStore(databaseUrl: string, work: string, mustExist = true): Promise<void> {
	const { pool } = await openPool(databaseUrl, { mustExist, connectionsMax: 1 });
	try {
		const startedAtMs = performance.now();
		while ((await pool.query(others)).rows.length > 0) {
			if (performance.now() - startedAtMs > endingMs)
				throw new StoreRefused(
					"the database is in use: stop the service, and a pooler that keeps its connections (nodes of other schemas " +
						`do not count if DATABASE_URL gives them an application_name of their own), then ${work}`,
				);
			await sleep(listRetryMs);
		}
	} finally {
		await pool.end();
	}
}

/** The time-out of a statement, longer than a request's: a statement may read or rewrite a large table. */
const limitMs = 30 * 60_000;

export async function inTransaction<Result>(
	databaseUrl: string,
	role: "source" | "target",
	work: (store: LockedStore) => Promise<Result>,
): Promise<Result> {
	const { pool } = await openPool(databaseUrl, { mustExist: role === "source", connectionsMax: 1 }, limitMs);
	try {
		return await pool.run(async (client) => {
			await lockTables(client);
			const query = (statement: Statement) =>
				rowsOf(client, statement).catch((error) => {
					throw toStoreError(error);
				});
			const result = await work({
				query,
				lastId: "SELECT last_id FROM counters WHERE name = 'pets'",
				keepIds: (lastId) => [
					{ text: "UPDATE counters SET last_id = $1 WHERE name = 'pets'", values: [lastId] },
					{ text: "UPDATE counters SET last_id = (SELECT coalesce(max(id), 0) FROM edits) WHERE name = 'edits'" },
				],
			});
			await query({ text: "COMMIT" });
			return result;
		});
	} finally {
		await pool.end();
	}
}

/** Locks the tables in a transaction, which may then be idle while the other store is in use. @throws StoreRefused */
async function lockTables(client: pg.PoolClient): Promise<void> {
	try {
		// Sent as one query: after a first reply, the time-outs of the role or the database would already apply.
		await client.query(`BEGIN; SELECT ${durably}; SELECT set_config(name, '0', true) FROM pg_settings
			WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')`);
		await client.query(`LOCK TABLE ${tableNames.map((name) => tables[name].name).join(", ")} IN EXCLUSIVE MODE`);
	} catch (error) {
		throw new StoreRefused(`the tables cannot be locked (${(error as Error).message}): stop all writers`);
	}
}

/** Frees the space of former rows, also while nodes run. A row stays while a long transaction may still see it. */
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
