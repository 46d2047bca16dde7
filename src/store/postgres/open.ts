// The Store in PostgreSQL, for any number of nodes. The reads of one tick of the event loop are sent together; creates
// are group-committed, one statement per batch. Portable SQL only: no advisory locks or sequences.

import { setTimeout as sleep } from "node:timers/promises";
import { createStore, type Engine, type StoreOptions } from "../engine.ts";
import { GroupCommit } from "../group-commit.ts";
import type { Create } from "../idempotency.ts";
import { StorageUnavailable, type Store, StoreRefused, StoreUpgraded } from "../store.ts";
import { startTransaction, type TransactionName } from "../transactions.ts";
import { watchWrites } from "../write-watch.ts";
import { createAll } from "./creates.ts";
import { createRetry, type Retry } from "./errors.ts";
import { openPool } from "./pool.ts";
import { createReads, readFindSql } from "./reads.ts";
import { refuseUnsafe } from "./server.ts";
import { dialect, runTransaction } from "./transaction.ts";

/** A write calls `refuseUnsafe` first if the latest call was longer ago than this. */
const searchedMaxMs = 5_000;
/** Writes that a newer schema might forbid. API keys are written, and Idempotency-Keys swept, even after an upgrade. */
const guarded = new Set<TransactionName>(["editPet", "changeCategories"]);
/** A commit always gets this much time, even if its creates have already waited as long as they may. */
const answerMinMs = 1_000;

/** Opens the store in this database, and migrates it if needed. @throws StoreRefused */
export async function openPostgres(url: string, now: () => number, options: StoreOptions): Promise<Store> {
	const opened = await openPool(url, options);
	const { pool, cursorSecret } = opened;
	let { isPlaced } = opened;
	const retry = createRetry(options.random ?? (() => 1));
	const watch = watchWrites(() => write("probe"), options);
	const retryWrite = guardWrites(
		retry,
		async () => {
			isPlaced = await refuseUnsafe(pool);
		},
		(reason) => watch.stop(reason, true),
	);
	const write: Engine["write"] = (name, ...given) =>
		(guarded.has(name) || name === "probe" ? retryWrite : retry)(() =>
			pool.limitTransactions(() =>
				pool.run((client) => runTransaction(client, startTransaction(dialect, name, given), guarded.has(name))),
			),
		);
	const commit = async (batch: Create[][], leftMs: number) => {
		const results = await answered(
			createAll(pool, retryWrite, batch.flat(), () => isPlaced),
			leftMs,
		);
		return { results: batch.map(({ length }) => results.splice(0, length)) };
	};
	const creates = new GroupCommit((batch: Create[][], leftMs) => watch.observe(commit(batch, leftMs)), {
		waitMaxMs: options.writeWaitMaxMs,
		sizeOf: (batch) => batch.length,
		onCommit: options.onCommit,
	});
	const engine: Engine = {
		...createReads(pool, retry),
		findSql: await readFindSql(pool),
		write,
		createAll: (batch) => creates.write(batch),
		cursorSecret,
		queue: creates,
		writeState: () => watch.state(creates),
		checkWrites: watch.check,
		async readUse() {
			const { totalCount, idleCount, waitingCount } = pool;
			return { pool: { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount } };
		},
		async close() {
			while (creates.length > 0) await sleep(10);
			await pool.end();
		},
	};
	return createStore(engine, now);
}

/** Waits for a commit as long as its creates may wait. @throws StorageUnavailable; then the outcome is unknown */
async function answered<Results>(commit: Promise<Results>, leftMs: number): Promise<Results> {
	if (leftMs === Infinity) return commit;
	const late = Promise.withResolvers<never>();
	const waitMs = Math.max(answerMinMs, leftMs);
	const error = new StorageUnavailable(`no answer to a commit within ${Math.round(waitMs)} ms`);
	const timer = setTimeout(() => late.reject(error), waitMs);
	return Promise.race([commit, late.promise]).finally(() => clearTimeout(timer));
}

/** Rejects all creates and edits after an upgrade of the schema, or once `refuseUnsafe` has thrown StoreRefused. */
function guardWrites(retry: Retry, refuse: () => Promise<void>, stop: (reason: string) => void): Retry {
	let unfit: StorageUnavailable | undefined;
	let searchedAtMs = performance.now();

	return async (transaction) => {
		if (unfit) throw unfit;
		try {
			const nowMs = performance.now();
			if (nowMs - searchedAtMs >= searchedMaxMs) {
				await retry(refuse);
				searchedAtMs = nowMs;
			}
			return await retry(transaction);
		} catch (error) {
			if (!(error instanceof StoreUpgraded || error instanceof StoreRefused)) throw error;
			if (!unfit) stop(error.message);
			unfit ??= new StorageUnavailable(error.message);
			throw unfit;
		}
	};
}
