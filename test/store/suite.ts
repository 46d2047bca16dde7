// The promises of the Store interface (src/store/store.ts) as one test suite, which runs on each engine.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type NewPet, type Pet, petJson } from "../../src/contract/pet.ts";
import { endOfList, type PageQuery, type Store } from "../../src/store/store.ts";
import { runSql } from "../support/sql.ts";
import { petsOf, withStore } from "../support/store-reads.ts";
import { engines } from "./engines.ts";

const rex: NewPet = { name: "Rex", categoryId: 1n };

export function storeSuite(engine: keyof typeof engines): void {
	/** The secrets of the cursors of each store. */
	const secrets = new Set<string>();

	/** Opens a store on a new database. `reopen` closes it and opens it again. `join` opens it on another node. */
	async function open(context: TestContext, now?: () => number) {
		const { databaseUrl, open, reopen } = await engines[engine](context, now);
		const store = await open();
		assert.equal(store.cursorSecret.length, 32);
		assert.ok(!secrets.has(store.cursorSecret.toString("hex")), "another store has another secret");
		return { store, databaseUrl, reopen: () => reopen(store), join: open };
	}

	test(`${engine}: a reopened store has the same animals, field for field, and the same cursors`, async (context) => {
		const { store, reopen } = await open(context);
		const pets: NewPet[] = [
			rex,
			{ name: "😀 \u{10ffff} \u2028 '\"\\", categoryId: -(2n ** 63n), status: "sold" },
			{ name: " x".repeat(127), categoryId: 2n ** 63n - 1n, status: "pending" },
			{ name: "x", categoryId: 9007199254740993n, status: "available" },
		];
		for (const [index, pet] of pets.entries())
			assert.deepEqual(await store.createPet(pet), { id: BigInt(index + 1), outcome: "created" });
		const kept = pets.map((pet, index): Pet => ({ id: BigInt(index + 1), ...pet }));
		secrets.add(store.cursorSecret.toString("hex"));
		for (const open of [async () => store, reopen]) {
			const opened = await open();
			assert.deepEqual(opened.cursorSecret, store.cursorSecret);
			const page = await opened.listPets({ after: 0n, limit: 100 });
			assert.deepEqual([petsOf(page), page.hasMore], [kept, false]);
			assert.equal(page.json, `[${kept.map(petJson)}]`, "the same bytes as the reply to a create");
			const queries: PageQuery[] = [2, 1].map((limit) => ({ after: 0n, limit }));
			for (const position of [{ after: 1n }, { upTo: 3n }, { upTo: 2n }]) queries.push({ ...position, limit: 2 });
			queries.push({ after: 0n, limit: 2, status: "sold" });
			const together = await Promise.all(queries.map(opened.listPets));
			for (const [at, query] of queries.entries()) assert.deepEqual(together[at], await opened.listPets(query));
			for (const pet of kept) assert.equal((await opened.getPet(pet.id)).json, petJson(pet));
		}
	});

	test(`${engine}: ids ascend in call order, from 1, without gaps`, async (context) => {
		const { store, reopen } = await open(context);
		assert.deepEqual(await store.createPets([]), []);
		const created = await Promise.all(Array.from({ length: 3000 }, () => store.createPet(rex)));
		for (const [index, { id }] of created.entries()) assert.equal(id, BigInt(index + 1));
		const reopened = await reopen();
		assert.equal((await reopened.createPet(rex)).id, 3001n);
		const rows = ["a", "b", "c"].map((key) => ({ pet: rex, idempotencyKey: { caller: "a", key } }));
		const imported = reopened.createPets(rows);
		assert.equal(reopened.queue.length, 3, "each row of an import counts");
		assert.equal(`${(await imported).map(({ id }) => id)}`, "3002,3003,3004");
	});

	test(`${engine}: reads show the last edit and id, even of removed animals; others are absent`, async (context) => {
		const { store } = await open(context);
		for (const id of [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n)])
			assert.equal((await store.getPet(id)).json, undefined);
		for (const after of [0n, 2n ** 63n - 1n, -(2n ** 63n)]) {
			for (const position of [{ after }, { upTo: after }]) {
				const { json, ids, hasMore } = await store.listPets({ ...position, limit: 100 });
				assert.deepEqual([json, ids, hasMore], ["[]", undefined, false]);
			}
		}
		const shownBy = async (query: PageQuery) => {
			const [{ version }, alone] = await Promise.all([store.listPets(query), store.version()]);
			assert.deepEqual(version, alone);
			return [version.lastEdit, version.lastId];
		};
		assert.deepEqual(await shownBy({ after: 0n, limit: 2 }), [0n, 0n]);
		for (let index = 0; index < 5; index++) await store.createPet(rex);
		for (const petId of [4n, 5n]) await store.edits.apply({ petId, editor: "operator", action: "remove" });
		for (const position of [{ after: 0n }, { after: 9n }, { upTo: 2n }, { upTo: endOfList }])
			for (const status of [undefined, "sold"] as const)
				assert.deepEqual(await shownBy({ ...position, limit: 2, status }), [2n, 5n]);
	});

	test(`${engine}: an Idempotency-Key creates one animal per caller within 24 hours`, async (context) => {
		let nowMs = Date.now();
		const { store, reopen } = await open(context, () => nowMs);
		let opened = store;
		const create = async (caller?: string, pet = rex) => {
			const { id, outcome } = await opened.createPet(pet, caller === undefined ? undefined : { caller, key: "k" });
			return `${outcome} ${id}`;
		};
		assert.deepEqual(await Promise.all([create("a"), create("a")]), ["created 1", "replayed 1"]);
		assert.equal(await create("a", { ...rex, status: "sold" }), "reused 1");
		assert.equal(await create("b"), "created 2");
		opened = await reopen();
		assert.equal(await create("a"), "replayed 1");
		nowMs += 24 * 3_600_000 - 1;
		assert.equal(await create("a"), "replayed 1");
		nowMs += 1;
		assert.deepEqual(await Promise.all([create("a"), create()]), ["created 3", "created 4"]);
		assert.equal(await create("a"), "replayed 3");
		// The repeat is in one batch with a later create, at whose time the key has expired.
		nowMs += 24 * 3_600_000 - 1;
		const older = create("a");
		nowMs += 1;
		assert.deepEqual(await Promise.all([older, create("c")]), ["replayed 3", "created 5"]);
		// Beside creates without a key and a repeated key, each key keeps its own animal.
		const batch = await Promise.all([create(), create("d"), create("d"), create("e")]);
		assert.deepEqual(batch, ["created 6", "created 7", "replayed 7", "created 8"]);
		assert.deepEqual([await create("d"), await create("e")], ["replayed 7", "replayed 8"]);
	});

	test(`${engine}: Idempotency-Keys older than 24 hours, and no others, are removed in time`, async (context) => {
		let nowMs = Date.now();
		const { store, databaseUrl, reopen } = await open(context, () => nowMs);
		const kept = async () => {
			const rows = await runSql(databaseUrl, "SELECT key FROM idempotency_keys ORDER BY key LIMIT 5");
			return rows.map(({ key }) => key).join(" ");
		};
		const addKey = (opened: Store, key: string) => opened.createPet(rex, { caller: "a", key });
		await addKey(store, "1");
		const old = `WITH RECURSIVE old(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM old WHERE n < 8)`;
		const columns = "idempotency_keys (caller, key, pet_id, fingerprint, created_at_ms)";
		await runSql(databaseUrl, `INSERT INTO ${columns} ${old} SELECT 'b', CAST(n AS TEXT), 1, '', 0 FROM old`);
		nowMs += 3_600_000;
		await addKey(store, "2");
		nowMs += 23 * 3_600_000;
		const reopened = await reopen();
		for (const removed of [3, 3, 3, 0]) assert.equal(await reopened.sweepIdempotencyKeys(3), removed);
		assert.equal(await kept(), "2");
		await addKey(reopened, "3");
		nowMs += 3_600_000;
		assert.equal(await kept(), "2 3");
		assert.equal(await reopened.sweepIdempotencyKeys(3), 1);
		assert.equal(await kept(), "3");
	});

	test(`${engine}: keys are stored, rotated and revoked, and their last use is recorded`, async (context) => {
		const { store, reopen } = await open(context);
		const { keys } = store;
		const a = { id: "a", name: "A", scopes: ["pets:read", "pets:write"], createdAtMs: 5 };
		const b = { id: "b", name: "B", scopes: ["pets:read"], rate: "5/1s", createdAtMs: 6 };
		await keys.add(a, { hash: "h1", last4: "0001", createdAtMs: 5, expiresAtMs: 900 });
		await keys.add(b, { hash: "h2", last4: "0002", createdAtMs: 6 });
		assert.equal(await keys.findByHash("h3"), undefined);
		await keys.rotate("a", { hash: "h3", last4: "0003", createdAtMs: 7 }, 1000);
		await keys.rotate("b", { hash: "h4", last4: "0004", createdAtMs: 7 }, 1000);
		assert.equal((await keys.findByHash("h3"))?.id, "a", "a new secret works immediately");
		assert.equal((await keys.findByHash("h1"))?.secret.expiresAtMs, 900, "an earlier expiry stays");
		assert.equal((await keys.findByHash("h2"))?.secret.expiresAtMs, 1000);
		await keys.touch([
			{ keyId: "lost in a failover", operation: "listPets", usedAtMs: 50 },
			{ keyId: "a", operation: "listPets", usedAtMs: 50 },
			{ keyId: "a", operation: "getPet", usedAtMs: 40 },
			{ keyId: "b", operation: "listPets", usedAtMs: 60 },
		]);
		await keys.touch([{ keyId: "a", operation: "listPets", usedAtMs: 45 }]);
		await keys.revoke("b", 77);
		await keys.revoke("b", 99);
		const reopened = (await reopen()).keys;
		assert.deepEqual(await reopened.list(), [
			{ ...a, usedAtMs: { listPets: 50, getPet: 40 }, secret: { last4: "0003", createdAtMs: 7 } },
			{ ...b, revokedAtMs: 77, usedAtMs: { listPets: 60 }, secret: { last4: "0004", createdAtMs: 7 } },
		]);
		assert.equal((await reopened.findByHash("h2"))?.revokedAtMs, 77, "all secrets of a revoked key are revoked");
	});

	test(`${engine}: of several keys added conditionally at once, one is stored`, async (context) => {
		const { store, join } = await open(context);
		const nodes = [store, await join(), await join()];
		const add = ({ keys }: Store, name: string, hash: string, unless?: "any key" | "same secret") => {
			const key = { id: name, name, scopes: ["pets:read"], createdAtMs: 5 };
			return keys.add(key, { hash, last4: "0001", createdAtMs: 5 }, unless);
		};
		const added = async (adding: Promise<boolean>[]) => (await Promise.all(adding)).filter(Boolean).length;
		assert.equal(await added(nodes.map((node, at) => add(node, `first ${at}`, `first ${at}`, "any key"))), 1);
		for (const hash of ["a", "b", "c", "d"])
			assert.equal(await added(nodes.map((node, at) => add(node, `${hash} ${at}`, hash, "same secret"))), 1);
		assert.equal(await add(store, "g", "other", "same secret"), true);
		assert.equal(await add(store, "h", "another"), true);
		assert.equal((await store.keys.list()).length, 7);
	});

	test(`${engine}: close commits the accepted creates`, async (context) => {
		const { store, databaseUrl, reopen } = await open(context);
		const accept = (one: Store) => Array.from({ length: 1250 }, () => one.createPet(rex));
		const accepted = accept(store);
		await withStore(databaseUrl, async (other) => void accepted.push(...accept(other)));
		const reopened = await reopen();
		await assert.rejects(store.version(), { name: "StorageUnavailable" }, "a closed store");
		assert.equal((await Promise.all(accepted)).length, 2500);
		assert.ok((await reopened.getPet(2500n)).json);
	});
}
