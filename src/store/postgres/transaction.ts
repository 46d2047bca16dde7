// Runs several statements in one transaction of PostgreSQL.

import type pg from "pg";
import type { Retry } from "./retries.ts";

/** A connection whose transaction failed is closed. @throws StorageUnavailable */
export function inTransaction<Result>(
	pool: pg.Pool,
	retry: Retry,
	work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
	return retry(async () => {
		const client = await pool.connect();
		try {
			await client.query("BEGIN");
			const result = await work(client);
			await client.query("COMMIT");
			client.release();
			return result;
		} catch (error) {
			client.release(error as Error);
			throw error;
		}
	});
}
