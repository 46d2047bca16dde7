// Runs statements on a connection of the pool, and several in one transaction.

import type pg from "pg";
import type { Retry } from "./retries.ts";

/** A connection whose work failed is closed. */
export async function onConnection<Result>(
	pool: pg.Pool,
	work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
	const client = await pool.connect();
	try {
		const result = await work(client);
		client.release();
		return result;
	} catch (error) {
		client.release(error as Error);
		throw error;
	}
}

/** @throws StorageUnavailable */
export function inTransaction<Result>(
	pool: pg.Pool,
	retry: Retry,
	work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
	return retry(() =>
		onConnection(pool, async (client) => {
			await client.query("BEGIN");
			const result = await work(client);
			await client.query("COMMIT");
			return result;
		}),
	);
}
