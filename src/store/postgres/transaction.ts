// Runs statements on a connection of the pool, and several in one transaction.

import type pg from "pg";
import { StorageUnavailable } from "../store.ts";
import type { Retry } from "./errors.ts";

const noWarning = "00000";

/**
 * A connection whose work failed is closed. A commit that brings a warning has failed: it is on this server, but its
 * wait for a synchronous standby was cancelled, by a time-out or an operator.
 * @throws StorageUnavailable after a warning
 */
export async function onConnection<Result>(
	pool: pg.Pool,
	work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
	const client = await pool.connect();
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
