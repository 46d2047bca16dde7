// The Store in PostgreSQL, for any number of nodes. Reads of one turn of the event loop are sent together; creates are
// group-committed, one statement with many rows per batch. Portable SQL only: no advisory locks, sequences or triggers.

import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { createBackground } from "../background.ts";
import { createGroupCommit, observeCommits } from "../group-commit.ts";
import { type Create, idempotencyMs } from "../idempotency.ts";
import { leaseSql, sweepIdempotencyKeys } from "../leases.ts";
import {
	type CreateResult,
	type OpenOptions,
	StorageUnavailable,
	type Store,
	StoreRefused,
	StoreUpgraded,
} from "../store.ts";
import { watchWrites } from "../write-watch.ts";
import { createAll } from "./creates.ts";
import { createEdits } from "./edits.ts";
import { refuseShards } from "./engine.ts";
import { createRetry, type Retry } from "./errors.ts";
import { createKeyRows } from "./keys.ts";
import { schemaMax } from "./migrate.ts";
import { openPool, type Query } from "./pool.ts";
import { createReads } from "./reads.ts";
import { createPostgresRows } from "./rows.ts";
import { type Read, stateOnly, toReadResult } from "./state.ts";
import { onConnection } from "./transaction.ts";
import { parsePostgresUrl } from "./url.ts";

/** How often the catalog is looked at for shards, whether there are writes or not. */
const lookEveryMs = 5_000;
/** How long a commit may take, however long its creates have waited for it. */
const answerMinMs = 1_000;

/**
 * Opens the store in this database, and migrates it if needed.
 * @throws StoreRefused
 */
export async function openPostgres(url: string, now: () => number, options: OpenOptions = {}): Promise<Store> {
	const { node = "", background = createBackground() } = options;
	const { host, port, database } = parsePostgresUrl(url);
	const { pool, cursorSecret } = await openPool(url, options);
	const retry = createRetry(options.random ?? (() => 1));
	const query: Query = (statement, values) =>
		retry(() => onConnection(pool, (client) => client.query({ ...statement, values, rowMode: "array" })));
	let history = "";
	const read: Read = async (statement, values) => {
		const sent = { ...statement, values, rowMode: "array" } as const;
		const result = await retry(() => onConnection(pool, async (client) => toReadResult(await client.query(sent))));
		history = result.shown.history;
		return result;
	};
	const { retryWrite, stopIfUnfit } = guardWrites(retry, () => watch.stop(), options.onFatal);
	const watch = watchWrites(() => retryWrite(() => pool.query(probe).then(refuseNewer)), background);
	const stopLooking = background.repeat("catalog check", lookEveryMs, () => refuseShards(pool).catch(stopIfUnfit));
	const commit = observeCommits<Create, CreateResult>(
		async (batch, leftMs) => ({ results: await answered(createAll(pool, retryWrite, batch), leftMs) }),
		options.onCommit,
	);
	const creates = createGroupCommit<Create, CreateResult>(
		(batch, leftMs) => watch.observe(commit(batch, leftMs)),
		options.writeWaitMaxMs,
	);
	const sweep = async (rows: number) => (await query(sweepExpiredKeys, [now() - idempotencyMs, rows])).rowCount ?? 0;
	const takeLease = async (name: string, forMs: number) => (await query(lease, [name, node, forMs])).rowCount === 1;
	const sweeping = { background, takeLease, sweep, rows: options.sweepRows };
	const stopSweeping = node === "" ? undefined : sweepIdempotencyKeys(sweeping);

	return {
		...createReads(query, read),
		createPet: (pet, idempotencyKey) => creates.write({ pet, idempotencyKey, nowMs: now() }),
		cursorSecret,
		place: `${host}:${port}/${database}`,
		keys: createKeyRows({ pool, query, read, retry, history: () => history }),
		edits: createEdits({ pool, read, retry: retryWrite, now }),
		rows: createPostgresRows(pool),
		queue: creates.queue,
		writeState: () => watch.state(creates.queue),
		takeLease,
		async readUse() {
			const { totalCount, idleCount, waitingCount } = pool;
			return { pool: { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount } };
		},
		async check() {
			await read(stateOnly, []);
		},
		async close() {
			await stopSweeping?.();
			await stopLooking();
			while (creates.queue.length > 0) await sleep(10);
			await pool.end();
		},
	};
}

/**
 * Waits for a commit as long as its creates may. What comes later is known to nobody: the commit may still succeed.
 * @throws StorageUnavailable
 */
async function answered<Results>(commit: Promise<Results>, leftMs: number): Promise<Results> {
	if (leftMs === Infinity) return commit;
	const late = Promise.withResolvers<never>();
	const waitMs = Math.max(answerMinMs, leftMs);
	const error = new StorageUnavailable(`no answer to a commit within ${Math.round(waitMs)} ms`);
	const timer = setTimeout(() => late.reject(error), waitMs);
	return Promise.race([commit, late.promise]).finally(() => clearTimeout(timer));
}

/** Stops the writes of this node for good, once a newer schema or tables on several shards are not for it. */
function guardWrites(retry: Retry, stop: () => void, onFatal?: (reason: string) => void) {
	let unfit: StorageUnavailable | undefined;

	/** @throws the error if it is another */
	function stopIfUnfit(error: unknown): void {
		if (!(error instanceof StoreUpgraded || error instanceof StoreRefused)) throw error;
		if (unfit) return;
		unfit = new StorageUnavailable(error.message);
		stop();
		onFatal?.(error.message);
	}

	const retryWrite: Retry = async (transaction) => {
		if (unfit) throw unfit;
		try {
			return await retry(transaction);
		} catch (error) {
			stopIfUnfit(error);
			throw error;
		}
	};
	return { retryWrite, stopIfUnfit };
}

const sweepExpiredKeys = {
	name: "sweepExpiredKeys",
	text: `DELETE FROM idempotency_keys WHERE (caller, key) IN
	(SELECT caller, key FROM idempotency_keys WHERE created_at_ms <= $1 ORDER BY created_at_ms LIMIT $2)`,
};

const lease = {
	name: "lease",
	text: leaseSql({
		name: "$1",
		holder: "$2",
		nowMs: "(extract(epoch FROM clock_timestamp()) * 1000)::bigint",
		forMs: "$3::bigint",
	}),
};

/** Fails where writes do, such as on a replica, and changes nothing. Its row is the schema. */
const probe = {
	name: "probe",
	text: `WITH nothing AS (UPDATE counters SET last_id = last_id WHERE name = 'none')
	SELECT version FROM schema_version`,
};

/** @throws StoreUpgraded */
function refuseNewer({ rows }: pg.QueryResult): void {
	if (rows[0].version > schemaMax) throw new StoreUpgraded();
}
