// The names of categories in the store, on both engines.

import assert from "node:assert/strict";
import { test } from "node:test";
import { comparedName } from "../../src/contract/equal-texts.ts";
import type { Store } from "../../src/store/store.ts";
import { runSql } from "../support/sql.ts";
import { engines } from "./engines.ts";

async function add({ categories }: Store, name: string): Promise<bigint | undefined> {
	const [result] = await categories.apply([{ name }]);
	return result?.id;
}

for (const [engine, make] of Object.entries(engines)) {
	test(`${engine}: a category's name is kept as given, and is unique in all its spellings`, async (context) => {
		const { open, reopen } = await make(context);
		const [store, other] = [await open(), await open()];
		const names = ["Hund", "Vögel", "Vogel", "หมู", "หมี", "ハ", "バ", "ΣΊΣΥΦΟΣ", " x  y ", "🐕", "a 'b' \"c\" \\"];
		for (const [index, name] of names.entries()) {
			const named = { outcome: "named", id: BigInt(index + 1), name };
			assert.deepEqual(await store.categories.apply([{ name }]), [named]);
			const spelled = ` ${name.toUpperCase().normalize("NFD").replaceAll(" ", "\u00a0 ")}`;
			assert.deepEqual(await other.categories.apply([{ name: spelled }]), [{ ...named, outcome: "unchanged" }]);
			assert.deepEqual(await other.categories.apply([{ id: 99n, name: spelled }]), [{ ...named, outcome: "taken" }]);
		}
		const expected = names.map((name, index) => ({ id: BigInt(index + 1), name }));
		for (const node of [other, await reopen(store)]) assert.deepEqual(await node.categories.names(), expected);
	});

	test(`${engine}: a new category's number follows all that are named or used below 2^53`, async (context) => {
		const { open, databaseUrl } = await make(context);
		const store = await open();
		await store.createPet({ name: "Rex", categoryId: -5n });
		assert.equal(await add(store, "a"), 1n);
		assert.equal(await add(store, "b"), 2n);
		await store.createPet({ name: "Rex", categoryId: 7n });
		assert.equal(await add(store, "c"), 8n);
		for (const categoryId of [2n ** 53n, 2n ** 63n - 1n]) await store.createPet({ name: "Rex", categoryId });
		assert.equal(await add(store, "d"), 9n);
		await store.edits.apply({ petId: 1n, editor: "a", action: "set-category", categoryId: 20n });
		assert.equal(await add(store, "e"), 21n);
		assert.deepEqual(
			await store.categories.apply([{ id: 21n }, { id: 40n, name: "f" }, { name: "g" }, { name: "h" }]),
			[
				{ outcome: "forgotten", id: 21n },
				{ outcome: "named", id: 40n, name: "f" },
				{ outcome: "named", id: 41n, name: "g" },
				{ outcome: "named", id: 42n, name: "h" },
			],
		);
		await store.categories.apply([
			{ id: 2n ** 53n - 1n, name: "last" },
			{ id: 2n ** 53n, name: "more" },
		]);
		assert.equal(await add(store, "i"), 43n, "the largest gap, not a number that programs round");
		const more = await store.categories.apply([{ id: 45n, name: "j" }, { name: "k" }, { name: "l" }]);
		assert.deepEqual(
			more.map(({ id }) => id),
			[45n, 46n, 47n],
		);
		const between = await store.categories.apply([{ name: "m" }, { id: 49n, name: "n" }, { name: "o" }]);
		assert.deepEqual(
			between.map(({ id, name }) => `${id} ${name}`),
			["48 m", "49 n", "50 o"],
			"no number that another change of the same list has taken",
		);
		const folded = await runSql(databaseUrl, "SELECT name, folded FROM categories");
		for (const row of folded) assert.equal(row["folded"], comparedName(String(row["name"])));
	});

	test(`${engine}: a store has at most 10,000 names; at the limit, a category gets another name`, async (context) => {
		const { open, databaseUrl } = await make(context);
		const store = await open();
		const rows = Array.from({ length: 9999 }, (_, at) => `(${at + 1}, 'n${at}', 'n${at}')`);
		await runSql(databaseUrl, `INSERT INTO categories VALUES ${rows.join()}`);
		const full = { message: "a store has at most 10,000 names of categories: remove some first" };
		await assert.rejects(store.categories.apply([{ id: 1n, name: "other" }, { name: "a" }, { name: "b" }]), full);
		const once = await store.categories.apply([{ name: "a" }, { name: "A" }]);
		assert.deepEqual(
			once.map(({ outcome, id }) => [outcome, id]),
			[
				["named", 10_000n],
				["unchanged", 10_000n],
			],
		);
		await assert.rejects(add(store, "b"), full);
		assert.equal(await add(store, "A"), 10_000n, "a name that is there");
		const swap = [{ id: 1n, name: "other" }, { id: 2n }, { name: "b" }];
		await assert.rejects(store.categories.apply(swap), full, "counted before a name is removed");
		const changed = await store.categories.apply([{ id: 1n, name: "other" }, { id: 2n }]);
		assert.deepEqual(
			changed.map(({ outcome }) => outcome),
			["named", "forgotten"],
		);
		assert.equal((await store.categories.names()).length, 9999);
		await store.createPet({ name: "Rex", categoryId: 9000n });
		const listed = await store.categories.list(3);
		assert.deepEqual(
			listed.map(({ id, animals }) => [id, animals]),
			[
				[1n, 0],
				[3n, 0],
				[9000n, 1],
			],
		);
	});

	test(`${engine}: nodes that name categories at once take neither the same name nor number`, async (context) => {
		const { open } = await make(context);
		const stores = [await open(), await open(), await open()] as Store[];
		const names = Array.from({ length: 8 }, (_, index) => `kind ${index}`);
		await Promise.all(
			stores.flatMap((store, place) => names.map((name) => add(store, place ? name : name.toUpperCase()))),
		);
		const named = await (stores[0] as Store).categories.names();
		const ids = named.map(({ id }) => id);
		assert.deepEqual(
			ids,
			names.map((_, index) => BigInt(index + 1)),
		);
		assert.deepEqual(new Set(named.map(({ name }) => comparedName(name))), new Set(names));
	});

	test(`${engine}: the list of categories has totals that follow edits, named ones first`, async (context) => {
		const { open } = await make(context);
		const store = await open();
		for (const categoryId of [1n, 2n, 2n, 3n, 3n, 3n, -(2n ** 63n), 2n ** 63n - 1n])
			await store.createPet({ name: "Rex", categoryId });
		await store.categories.apply([
			{ id: 1n, name: "one" },
			{ id: 9n, name: "nine" },
		]);
		const counts = async (limit: number) =>
			(await store.categories.list(limit)).map(({ id, name, animals }) => [id, name, animals]);
		const [first, last] = [-(2n ** 63n), 2n ** 63n - 1n];
		assert.deepEqual(await counts(99), [
			[first, undefined, 1],
			[1n, "one", 1],
			[2n, undefined, 2],
			[3n, undefined, 3],
			[9n, "nine", 0],
			[last, undefined, 1],
		]);
		assert.deepEqual(await counts(3), [
			[1n, "one", 1],
			[3n, undefined, 3],
			[9n, "nine", 0],
		]);
		await store.edits.apply({ petId: 4n, editor: "a", action: "set-category", categoryId: 9n });
		await store.edits.apply({ petId: 8n, editor: "a", action: "remove" });
		assert.deepEqual((await counts(99)).slice(1), [
			[1n, "one", 1],
			[2n, undefined, 2],
			[3n, undefined, 2],
			[9n, "nine", 1],
		]);
		await store.categories.apply([{ id: 0n, name: "unused" }]);
		const used = [
			[1n, "one", 1],
			[9n, "nine", 1],
		];
		assert.deepEqual(await counts(2), used);
	});
}
