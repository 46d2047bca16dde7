// Runs the transactions of transactions.ts on a connection of the pool.

import type pg from "pg";
import type { Dialect, Transaction } from "../dialect.ts";
import { StoreUpgraded } from "../store.ts";
import type { Row, Statement } from "../tables.ts";
import { begin, durably, type NodePool } from "./connections.ts";
import { schemaMax } from "./migrate.ts";

/** Rows are arrays, in the order of the statement's columns. */
export async function rowsOf(client: pg.PoolClient, { values = [], ...statement }: Statement): Promise<Row[]> {
	return (await client.query<Row>({ ...statement, values: [...values], rowMode: "array" })).rows;
}

/** A search gets one parallel worker, even for small tables, but no more: gets and creates need the other cores. */
const scanSettings = "SET LOCAL max_parallel_workers_per_gather = 1; SET LOCAL min_parallel_table_scan_size = '1MB'";

/** @param signal when aborted, the statement is cancelled */
export async function scanWith(
	pool: NodePool,
	client: pg.PoolClient,
	statement: Statement,
	signal?: AbortSignal,
): Promise<Row[]> {
	// The result of a query with several statements is a list.
	const begun: unknown = await client.query(`${begin}; ${scanSettings}; SELECT pg_backend_pid() AS pid`);
	const pid = (begun as pg.QueryResult<{ pid: bigint }>[]).at(-1)?.rows[0]?.pid as bigint;
	let cancelling: Promise<void> | undefined;
	const cancel = () => {
		cancelling = pool.cancel(pid);
	};
	signal?.throwIfAborted();
	signal?.addEventListener("abort", cancel);
	const rows = await rowsOf(client, statement).finally(() => {
		signal?.removeEventListener("abort", cancel);
		return cancelling; // Waits for the cancel, because a pooler may give this process to another client next.
	});
	await client.query("COMMIT");
	return rows;
}

/** Locks the version of the schema against a migration, without a round trip of its own. */
const readVersion = "SELECT version FROM schema_version FOR SHARE";

/** @param isGuarded whether a newer schema might forbid the writes @throws StoreUpgraded */
export async function runTransaction<Result>(
	client: pg.PoolClient,
	transaction: Transaction<Result>,
	isGuarded: boolean,
): Promise<Result> {
	const begun: unknown = await client.query(`${begin}; SELECT ${durably}${isGuarded ? `; ${readVersion}` : ""}`);
	// The result of a query with several statements is a list.
	const version = (begun as pg.QueryResult<{ version?: bigint }>[]).at(-1)?.rows[0]?.version;
	if (Number(version ?? 0) > schemaMax) throw new StoreUpgraded();
	let step = transaction.next();
	while (!step.done) step = transaction.next(await rowsOf(client, step.value));
	await client.query("COMMIT");
	return step.value;
}

/** Replaces rows with the same keys by one row with their sum, or by none if the sum is 0. */
const addSql = (table: string, keys: string) => `WITH gone AS (
		DELETE FROM ${table} WHERE (${keys}) IN (SELECT ${keys} FROM ${table} GROUP BY ${keys} HAVING count(*) > 1)
		RETURNING ${keys}, animals
	) INSERT INTO ${table} SELECT ${keys}, sum(animals) FROM gone GROUP BY ${keys} HAVING sum(animals) <> 0`;

export const dialect: Dialect = {
	forUpdate: "FOR UPDATE",
	nextEditId: "UPDATE counters SET last_id = last_id + 1 WHERE name = 'edits' RETURNING last_id",
	// Fails whenever writes would fail, such as on a replica or while edits wait for a lock.
	probe: `WITH nothing AS (UPDATE counters SET last_id = last_id WHERE name = 'edits')
		SELECT version FROM schema_version WHERE version > ${schemaMax}`,
	addCounts: [addSql("pet_count_changes", "category_id, status"), addSql("pet_total_changes", "status")],
};
