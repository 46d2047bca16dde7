// Runs statements on a connection of the pool, and the transactions of all engines.

import type pg from "pg";
import { StorageUnavailable } from "../store.ts";
import type { Row, Statement } from "../tables.ts";
import type { Dialect, Transaction } from "../transactions.ts";
import type { NodePool } from "./connections.ts";
import { schemaMax } from "./migrate.ts";

const noWarning = "00000";

/**
 * A connection whose work failed is closed. A commit that brings a warning has failed: it is on this server, but its
 * wait for a synchronous standby was cancelled, by a time-out or an operator.
 * @throws StorageUnavailable after a warning
 */
export async function onConnection<Result>(
	pool: NodePool,
	work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
	const client = await pool.take();
	let warning: string | undefined;
	const note = ({ code, message }: { code?: string | undefined; message?: string | undefined }) => {
		if (code !== noWarning) warning = message;
	};
	client.on("notice", note);
	try {
		const result = await work(client);
		if (warning !== undefined) throw new StorageUnavailable(`the outcome is unknown: ${warning}`);
		client.release();
		return result;
	} catch (error) {
		client.release(error as Error);
		throw error;
	} finally {
		client.off("notice", note);
	}
}

/** Rows are arrays, in the order of the statement's columns. */
export async function rowsOf(client: pg.PoolClient, { values = [], ...statement }: Statement): Promise<Row[]> {
	return (await client.query<Row>({ ...statement, values: [...values], rowMode: "array" })).rows;
}

/** Runs the statements of a transaction of all engines. */
export async function runTransaction<Result>(client: pg.PoolClient, transaction: Transaction<Result>): Promise<Result> {
	await client.query("BEGIN");
	let step = transaction.next();
	while (!step.done) step = transaction.next(await rowsOf(client, step.value));
	await client.query("COMMIT");
	return step.value;
}

export const dialect: Dialect = {
	forUpdate: "FOR UPDATE",
	clock: () => "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
	nextEditId: "UPDATE counters SET last_id = last_id + 1 WHERE name = 'edits' RETURNING last_id",
	keepIds: (lastId) => [
		{ text: "UPDATE counters SET last_id = $1 WHERE name = 'pets'", values: [lastId] },
		{ text: "UPDATE counters SET last_id = (SELECT coalesce(max(id), 0) FROM edits) WHERE name = 'edits'" },
	],
	// Fails where writes do, such as on a replica.
	probe: `WITH nothing AS (UPDATE counters SET last_id = last_id WHERE name = 'none')
		SELECT version FROM schema_version WHERE version > ${schemaMax}`,
};
