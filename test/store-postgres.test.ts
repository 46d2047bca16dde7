// The store suite over PostgreSQL, and what only a server with many nodes can go through.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../src/store/open.ts";
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
