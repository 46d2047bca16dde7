// The Store in PostgreSQL, for any number of nodes. Reads of one turn of the event loop are sent together; creates are
// group-committed, one statement with many rows per batch. Portable SQL only: no advisory locks, sequences or triggers.

import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { type Pet, petStatuses } from "../../contract/pet.ts";
import { observeCommits } from "../commit-times.ts";
import { createGroupCommit } from "../group-commit.ts";
import { type Create, idempotencyMs, sweepRows } from "../idempotency.ts";
import { sweepIdempotencyKeys } from "../idempotency-sweep.ts";
import { createKeptPages, type KeptPages, nameOfPage } from "../kept-pages.ts";
import { type StatusGroup, toPetCount } from "../pet-count.ts";
import { toPetPage } from "../pet-page.ts";
import {
	type CreateResult,
	endOfList,
	type OpenOptions,
	type PageQuery,
	type PetCount,
	type PetPage,
	StorageUnavailable,
	type Store,
	StoreRefused,
	StoreUpgraded,
} from "../store.ts";
import { columnList, createRecordReader, tables } from "../tables.ts";
import { createTurnBatch } from "../turn-batch.ts";
import { watchWrites } from "../write-watch.ts";
import { createAll } from "./creates.ts";
import { createEdits } from "./edits.ts";
import { refuseShards } from "./engine.ts";
import { createKeyRows } from "./keys.ts";
import { lastEditSql, standbyMarkSql } from "./marks.ts";
import { schemaMax } from "./migrate.ts";
import { openPool, type Query } from "./pool.ts";
import { createReads, type Reads } from "./reads.ts";
import { createReplicas } from "./replicas.ts";
import { createRetry } from "./retries.ts";
import { createPostgresRows } from "./rows.ts";

/**
 * Opens the store in this database, and migrates it if needed.
 * @throws StoreRefused
 */
export async function openPostgres(url: string, now: () => number, options: OpenOptions = {}): Promise<Store> {
	const replicas = createReplicas(options);
	const { pool, cursorSecret } = await openPool(url, options);
	const retry = createRetry(options.random ?? (() => 1));
	const query: Query = (statement, values) => retry(() => pool.query({ ...statement, values, rowMode: "array" }));
	const { refuseUnfit, stopIfUnfit } = guardWrites(() => watch.stop(), options.onFatal);
	const watch = watchWrites(() =>
		query(probe, [])
			.then(refuseNewer)
			.then(() => refuseShards(pool))
			.catch(stopIfUnfit),
	);
	const commit = observeCommits<Create, CreateResult>(async (batch) => {
		refuseUnfit();
		return { results: await createAll(pool, retry, batch).catch(stopIfUnfit) };
	}, options.onCommit);
	const creates = createGroupCommit<Create, CreateResult>(
		(batch) => watch.observe(commit(batch)),
		options.writeWaitMaxMs,
	);
	const sweep = async () => (await query(sweepExpiredKeys, [now() - idempotencyMs])).rowCount ?? 0;
	const stopSweeping = sweepIdempotencyKeys(sweep);

	const reads = createReads(query, replicas, options);
	const getPet = createTurnBatch<bigint, Pet | undefined>(String, async (ids) => {
		const pets = new Map((await readPets(reads, ids)).map((pet) => [pet.id, pet]));
		return ids.map((id) => pets.get(id));
	});
	const kept = createKeptPages();
	const listPets = createTurnBatch<PageQuery, PetPage>(nameOfPage, (queries) => readPages(reads, kept, queries));

	return {
		getPet,
		listPets,
		createPet: (pet, idempotencyKey) => creates.write({ pet, idempotencyKey, nowMs: now() }),
		cursorSecret,
		keys: createKeyRows(pool, query, retry),
		edits: createEdits({ pool, query, retry, now }),
		rows: createPostgresRows(pool),
		countPets: (after, limit) => countPets(query, after, limit),
		created: creates.created,
		queue: creates.queue,
		writeState: () => watch.state(creates.queue),
		async readUse() {
			const { totalCount, idleCount, waitingCount } = pool;
			return { pool: { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount }, ...reads.use() };
		},
		async check() {
			await query({ name: "check", text: "SELECT last_id FROM counters WHERE name = 'none'" }, []);
		},
		async close() {
			stopSweeping();
			while (creates.queue.length > 0) await sleep(10);
			await reads.close();
			await pool.end();
		},
	};
}

/** Stops the writes of this node for good, once a newer schema or tables on several shards are not for it. */
function guardWrites(stop: () => void, onFatal?: (reason: string) => void) {
	let unfit: StorageUnavailable | undefined;
	return {
		refuseUnfit() {
			if (unfit) throw unfit;
		},
		stopIfUnfit(error: unknown): never {
			if (error instanceof StoreUpgraded || error instanceof StoreRefused) {
				stop();
				if (!unfit) onFatal?.(error.message);
				unfit ??= new StorageUnavailable(error.message);
			}
			throw error;
		},
	};
}

const sweepExpiredKeys = {
	name: "sweepExpiredKeys",
	text: `DELETE FROM idempotency_keys WHERE (caller, key) IN
	(SELECT caller, key FROM idempotency_keys WHERE created_at_ms <= $1 ORDER BY created_at_ms LIMIT ${sweepRows})`,
};

/** Fails where writes do, such as on a replica, and changes nothing. Its row is the schema. */
const probe = {
	name: "probe",
	text: `WITH nothing AS (UPDATE counters SET last_id = last_id WHERE name = 'none')
	SELECT version FROM schema_version`,
};

/** @throws StoreUpgraded */
function refuseNewer({ rows }: pg.QueryArrayResult): void {
	if (Number(rows[0]?.[0]) > schemaMax) throw new StoreUpgraded();
}

const toPet = createRecordReader<Pet>(tables.pets);

// With animals distributed by id, a get would ask the shards of its ids. A page is a range of ids, and so is a count:
// both would ask every shard.
/** @param showing becomes the last column */
function petStatements(showing: string) {
	const columns = `SELECT ${columnList(tables.pets)}${showing} FROM pets`;
	return {
		petsById: { name: "petsById", text: `${columns} WHERE id = ANY($1::bigint[])` },
		page: { name: "page", text: `${columns} WHERE id > $1 ORDER BY id LIMIT $2` },
		pageWithStatus: {
			name: "pageWithStatus",
			text: `${columns} WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`,
		},
		pageUpTo: { name: "pageUpTo", text: `${columns} WHERE id <= $1 ORDER BY id DESC LIMIT $2` },
		pageUpToWithStatus: {
			name: "pageUpToWithStatus",
			text: `${columns} WHERE status = $1 AND id <= $2 ORDER BY id DESC LIMIT $3`,
		},
	};
}
const onPrimary = { ...petStatements(`, ${lastEditSql}`), petsById: petStatements("").petsById };
const onReplica = petStatements(`, ${standbyMarkSql}`);

const countedStatuses = [...petStatuses, null];
const statusCounts = countedStatuses.map((status) => {
	const isStatus = status === null ? "status IS NULL" : `status = '${status}'`;
	return `count(*) FILTER (WHERE ${isStatus})`;
});
const countByStatus = {
	name: "countByStatus",
	text: `SELECT ${lastEditSql}, max(id), ${statusCounts.join(", ")}
	FROM (SELECT id, status FROM pets WHERE id > $1 ORDER BY id LIMIT $2) AS next`,
};

async function countPets(query: Query, after: bigint, limit: number): Promise<PetCount> {
	const { rows } = await query(countByStatus, [after, limit]);
	const [lastEdit = 0n, lastId = 0n, ...counts]: bigint[] = rows[0] ?? [];
	const groups = countedStatuses.flatMap((status, index): StatusGroup[] => {
		const count = counts[index];
		return count ? [[status, count, lastId]] : [];
	});
	return toPetCount(groups, lastEdit);
}

/** A replica is only asked for what it has shown. */
async function readPets(reads: Reads, ids: bigint[]): Promise<Pet[]> {
	const replicatedId = reads.replicatedId();
	const groups = [ids.filter((id) => id <= replicatedId), ids.filter((id) => id > replicatedId)];
	const read = async (group: bigint[]) => {
		let last = -endOfList;
		for (const id of group) if (id > last) last = id;
		const statements = { primary: onPrimary.petsById, replica: onReplica.petsById };
		return reads.read({ ...statements, values: [group], count: group.length, needs: last, reach: () => last });
	};
	const found = await Promise.all(groups.filter((group) => group.length > 0).map(read));
	return found.flatMap(({ rows }) => rows.map(toPet));
}

/** The pages of a turn. One small query, sent with those of other pages, tells whether kept pages are valid. */
async function readPages(reads: Reads, kept: KeptPages, queries: PageQuery[]): Promise<PetPage[]> {
	const read = (pageQuery: PageQuery) => readPage(reads, kept, pageQuery);
	const found = queries.map(kept.find);
	const [latest, fresh] = await Promise.all([
		found.some(Boolean) ? reads.lastEdit() : undefined,
		Promise.all(queries.map((pageQuery, index) => (found[index] ? undefined : read(pageQuery)))),
	]);
	return Promise.all(
		queries.map((pageQuery, index) => {
			const one = found[index];
			return fresh[index] ?? (one && one.lastEdit === latest ? one.page : read(pageQuery));
		}),
	);
}

async function readPage({ read }: Reads, kept: KeptPages, pageQuery: PageQuery): Promise<PetPage> {
	const { status, after = 0n, upTo, limit } = pageQuery;
	const page = upTo === undefined ? "page" : "pageUpTo";
	const name = status ? (`${page}WithStatus` as const) : page;
	const { rows, lastEdit = -1n } = await read({
		primary: onPrimary[name],
		replica: onReplica[name],
		values: [...(status ? [status] : []), upTo ?? after, limit + 1],
		count: 1,
		needs: upTo ?? after + BigInt(limit) + 1n,
		// Animals can be added behind a page unless there are some already.
		reach: (rows) => upTo ?? (rows.length > limit ? (rows.at(-1)?.[0] as bigint) : endOfList),
	});
	return kept.keep(pageQuery, toPetPage(rows.map(toPet), pageQuery), lastEdit);
}
