// The store suite over PostgreSQL, and what only a server with many nodes can go through.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../src/store/open.ts";
import type { Store } from "../src/store/store.ts";
import { testDatabase } from "./postgres.ts";
import { storeSuite } from "./store-suite.ts";

storeSuite({
	name: "postgres",
	async open(context, now = Date.now) {
		const database = await testDatabase();
		let store = await openStore(database.url, now);
		context.after(async () => {
			await store.close();
			await database.drop();
		});
		return {
			store,
			async reopen() {
				await store.close();
				store = await openStore(database.url, now);
				return store;
			},
		};
	},
});

test("postgres: many nodes that start at once migrate once and make one store", async (context) => {
	const database = await testDatabase();
	const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(database.url, Date.now)));
	context.after(async () => {
		await Promise.all(stores.map((store) => store.close()));
		await database.drop();
	});
	const secrets = new Set(stores.map(({ cursorSecret }) => cursorSecret.toString("hex")));
	assert.equal(secrets.size, 1);
	const ids = await Promise.all(stores.map(async (store) => (await store.createPet({ name: "a", categoryId: 1n })).id));
	assert.deepEqual(ids.sort(), [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n]);
});

test("postgres: ids ascend in commit order over nodes: a poller of the last page misses nothing", async (context) => {
	const database = await testDatabase();
	const stores = await Promise.all(Array.from({ length: 3 }, () => openStore(database.url, Date.now)));
	context.after(async () => {
		await Promise.all(stores.map((store) => store.close()));
		await database.drop();
	});
	const [reader, ...writers] = stores;
	let isWriting = true;
	let created = 0;
	const writing = Promise.all(
		[...writers, ...writers, ...writers, ...writers].map(async (store) => {
			for (let count = 0; count < 100; count++) {
				await Promise.all([1, 2, 3].map(() => store.createPet({ name: "a", categoryId: 1n })));
				created += 3;
			}
		}),
	).finally(() => {
		isWriting = false;
	});
	let seen = 0n;
	const poll = async () => {
		const page = await reader?.listPets({ after: seen, limit: 100 });
		for (const { id } of page?.pets ?? []) assert.equal(id, ++seen, "nothing missed, nothing twice");
		return page?.hasMore;
	};
	while (isWriting) await poll();
	await writing;
	while (await poll());
	assert.equal(Number(seen), created);
});

test("postgres: one retry key on two nodes at once makes one animal", async (context) => {
	const database = await testDatabase();
	const stores = await Promise.all([openStore(database.url, Date.now), openStore(database.url, Date.now)]);
	context.after(async () => {
		await Promise.all(stores.map((store) => store.close()));
		await database.drop();
	});
	for (let round = 0; round < 20; round++) {
		const retry = { caller: "a", key: `k${round}` };
		const results = await Promise.all(
			[...stores, ...stores].map((store) => store.createPet({ name: "a", categoryId: 1n }, retry)),
		);
		assert.equal(new Set(results.map(({ id }) => id)).size, 1);
		assert.deepEqual(results.map(({ outcome }) => outcome).sort(), ["created", "replayed", "replayed", "replayed"]);
	}
});

test("postgres: reads of one turn become one statement, and equal lists share one", async (context) => {
	const database = await testDatabase();
	context.after(() => database.drop());
	/** Transactions that a store's connections committed; each read is one. */
	const committed = async (work: (store: Store) => Promise<unknown>): Promise<number> => {
		const count = async () => {
			const { rows } = await database.query(
				"SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()",
			);
			return Number(rows[0].xact_commit);
		};
		const before = await count();
		const store = await openStore(database.url, Date.now);
		await work(store);
		await store.close(); // A connection hands in its counts when it ends.
		return (await count()) - before;
	};
	await committed((store) => Promise.all([1, 2, 3].map(() => store.createPet({ name: "a", categoryId: 1n }))));
	const idle = await committed(async () => {});
	const reads = await committed(async (store) => {
		for (let turn = 0; turn < 10; turn++) {
			const gets = Array.from({ length: 100 }, (_, index) => store.getPet(BigInt(index % 5)));
			const lists = Array.from({ length: 50 }, () => store.listPets({ after: 0n, limit: 20 }));
			assert.equal((await Promise.all(gets)).filter(Boolean).length, 60);
			for (const { pets } of await Promise.all(lists)) assert.equal(pets.length, 3);
		}
	});
	const perTurn = (reads - idle) / 10;
	assert.ok(perTurn >= 2 && perTurn < 3, `${perTurn} statements for 150 reads of a turn`);
});

test("postgres: a batch that the server rolled back for another node's sake (40001) is tried again, and none is doubled", async (context) => {
	const database = await testDatabase();
	await database.query(
		`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET default_transaction_isolation = 'repeatable read'`,
	);
	const stores = await Promise.all([1, 2, 3].map(() => openStore(database.url, Date.now)));
	context.after(async () => {
		await Promise.all(stores.map((store) => store.close()));
		await database.drop();
	});
	const created = await Promise.all(
		stores.map(async (store, node) => {
			const ids: bigint[] = [];
			for (let count = 0; count < 60; count++) {
				const retry = count % 2 === 0 ? { caller: "a", key: `${node} ${count}` } : undefined;
				ids.push((await store.createPet({ name: `${node}`, categoryId: BigInt(count) }, retry)).id);
			}
			return ids;
		}),
	);
	const ids = created.flat().sort((a, b) => Number(a - b));
	assert.deepEqual(
		ids,
		Array.from({ length: 180 }, (_, index) => BigInt(index + 1)),
	);
	const { rows } = await database.query(
		"SELECT count(*) AS pets, (SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()) AS rolled FROM pets",
	);
	assert.equal(Number(rows[0].pets), 180);
	assert.ok(Number(rows[0].rolled) > 0, "the server rolled some back");
});
