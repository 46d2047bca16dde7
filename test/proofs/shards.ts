// Why a store on several shards is refused, and what it would take: the design of docs/decisions/0014-sharded-layout.md in its
// smallest form, without Idempotency-Keys and edits.

import assert from "node:assert/strict";
import pg from "pg";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/store.ts";
import { withDatabase } from "../postgres.ts";
import { startPostgres } from "../postgres-server.ts";
import type { Proof, Trial } from "../proof.ts";
import { seededRandom } from "../random.ts";
import { spreadPets } from "../shards.ts";
import { runSql } from "../sql.ts";

const creators = 4;
const batchMax = 9;

export const proof: Proof = {
	shows:
		"over shards, a poller misses animals of the layout single; a counter that is held over two commits misses none",
	options: { batches: { default: "150", text: "of each of four creators" } },
	async prove(trial) {
		const single = await poll(trial, "single");
		assert.ok(single.missed > 0, "the layout single keeps its order here: nothing has to be refused");
		const sharded = await poll(trial, "sharded");
		assert.equal(sharded.missed, 0, JSON.stringify(sharded));
		assert.ok(sharded.deaths > 0 && sharded.removed > 0, JSON.stringify(sharded));
		return { single, sharded };
	},
};

type Layout = "single" | "sharded";
/** Acknowledged animals; none if the creator died. */
type Created = [id: bigint, name: string][];
type Creator = (names: string[]) => Promise<Created>;

interface Died {
	deaths: number;
	/** Animals that dead creators left behind. */
	removed: number;
}

/** Creates from several places, while a poller reads its last page. Every acknowledged animal must reach it. */
async function poll(trial: Trial, layout: Layout) {
	const { stores, url, shards } = await newShards(trial);
	const random = seededRandom(trial.seed);
	const died: Died = { deaths: 0, removed: 0 };
	const reader = new pg.Client({ connectionString: url });
	await reader.connect();
	trial.after(() => reader.end());
	let isOver = false;
	const batches = Array.from({ length: Number(trial.option("batches")) }, (_, batch) => batch);
	const work = Array.from({ length: creators }, async (_, place) => {
		const store = stores[place % stores.length];
		const create = layout === "single" && store ? singleCreator(store) : shardedCreator(url, shards, random, died);
		const created: Created = [];
		for (const batch of batches) {
			const length = 1 + Math.floor(random() * batchMax);
			created.push(...(await create(Array.from({ length }, (_, index) => `${place} ${batch} ${index}`))));
		}
		return created;
	});
	const working = Promise.all(work).finally(() => {
		isOver = true;
	});
	const seen = new Map<bigint, string>();
	let after = 0n;
	const readPage = async () => {
		const { rows } = await reader.query(pages[layout], [after]);
		for (const { id, name } of rows) seen.set(BigInt(id), name);
		after = BigInt(rows.at(-1)?.id ?? after);
		return rows.length;
	};
	while (!isOver) await readPage();
	const acknowledged = (await working).flat();
	while ((await readPage()) > 0);
	const missed = acknowledged.filter(([id, name]) => seen.get(id) !== name).length;
	return { acknowledged: acknowledged.length, missed, ...died };
}

/** Two nodes whose animals are on two shards since they started. They ask again only while there are no creates. */
async function newShards(trial: Trial): Promise<{ stores: Store[]; url: string; shards: string[] }> {
	const server = await startPostgres();
	trial.after(() => server.remove());
	const names = ["animals", "shard_0", "shard_1"];
	for (const name of names) await runSql(withDatabase(server.url, "postgres"), `CREATE DATABASE ${name}`);
	const [url = "", ...shards] = names.map((name) => withDatabase(server.url, name));
	const stores = [await openStore(url, Date.now), await openStore(url, Date.now)];
	trial.after(() => Promise.all(stores.map((store) => store.close())));
	await spreadPets(url, shards);
	return { stores, url, shards };
}

/** What the service does. */
function singleCreator(store: Store): Creator {
	return (names) =>
		Promise.all(
			names.map(async (name): Promise<Created[number]> => [(await store.createPet({ name, categoryId: 1n })).id, name]),
		);
}

const page = (bound: string) => `SELECT id, name FROM pets WHERE id > $1 ${bound} ORDER BY id LIMIT 100`;
const pages = {
	single: page(""),
	sharded: page("AND id <= (SELECT last_id FROM counters WHERE name = 'pets')"),
};
/** Dies in every tenth batch: before the rows, after those of one shard, or after all of them. */
function shardedCreator(url: string, shards: string[], random: () => number, died: Died): Creator {
	return async (names) => {
		const death = random() < 0.1 ? Math.floor(random() * 3) : undefined;
		const [counter, rows] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
		await Promise.all([counter.connect(), rows.connect()]);
		try {
			await counter.query("BEGIN");
			const held = await counter.query("SELECT last_id FROM counters WHERE name = 'pets' FOR UPDATE");
			const last = BigInt(held.rows[0].last_id);
			// What a dead creator left was never shown nor acknowledged: its ids are used again.
			died.removed += (await rows.query("DELETE FROM pets WHERE id > $1", [last])).rowCount ?? 0;
			if (death === 1) await insertPart(url, shards, last, names);
			else if (death !== 0) await rows.query(insert, [last, names]);
			if (death !== undefined) {
				died.deaths++;
				return [];
			}
			const next = last + BigInt(names.length);
			const shown = await rows.query("SELECT id FROM pets WHERE id > $1 AND id <= $2", [last, next]);
			assert.equal(shown.rows.length, names.length, "each shard shows its part before the counter moves on");
			await counter.query("UPDATE counters SET last_id = $1 WHERE name = 'pets'", [next]);
			await counter.query("COMMIT");
			return names.map((name, index) => [last + 1n + BigInt(index), name]);
		} finally {
			await Promise.all([counter.end(), rows.end()]);
		}
	};
}

const insert = `INSERT INTO pets SELECT $1 + place, name, 1, NULL
	FROM unnest($2::text[]) WITH ORDINALITY AS given (name, place)`;

/** What is left where one shard has committed its part, and the other has not. */
async function insertPart(url: string, shards: string[], last: bigint, names: string[]): Promise<void> {
	const onLast = `satisfies_hash_partition('pets'::regclass, ${shards.length}, ${shards.length - 1}, id)`;
	const ids = `generate_series(${last + 1n}::bigint, ${last + BigInt(names.length)}::bigint) AS id`;
	const rows = await runSql(url, `SELECT id FROM ${ids} WHERE ${onLast}`);
	for (const { id } of rows) await runSql(shards.at(-1) ?? "", `INSERT INTO pets VALUES (${id}, 'left', 1, NULL)`);
}
