// The names of categories in the store, on both engines.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CategoryChange } from "../../src/contract/console.ts";
import { comparedName } from "../../src/contract/equal-texts.ts";
import type { Store } from "../../src/store/store.ts";
import { runSql } from "../support/sql.ts";
import { engines } from "./engines.ts";

/** @returns what became of each change, such as `named 1 Dog` */
const apply = async ({ categories }: Store, ...changes: CategoryChange[]) =>
	(await categories.apply(changes)).map(({ outcome, id, name }) => `${outcome} ${id} ${name ?? "–"}`);

/** The list of categories with their animals, such as `1 Dog: 5`. */
const list = async ({ categories }: Store, limit: number) =>
	(await categories.list(limit)).map(({ id, name, animals }) => `${id} ${name ?? "–"}: ${animals}`);

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
		const use = (categoryId: bigint) => store.createPet({ name: "Rex", categoryId });
		await use(-5n);
		assert.deepEqual(await apply(store, { name: "a" }), ["named 1 a"]);
		assert.deepEqual(await apply(store, { name: "b" }), ["named 2 b"]);
		await use(7n);
		assert.deepEqual(await apply(store, { name: "c" }), ["named 8 c"]);
		for (const categoryId of [2n ** 53n, 2n ** 63n - 1n]) await use(categoryId);
		assert.deepEqual(await apply(store, { name: "d" }), ["named 9 d"]);
		await store.edits.apply({ petId: 1n, editor: "a", action: "set-category", categoryId: 20n });
		assert.deepEqual(await apply(store, { name: "e" }), ["named 21 e"]);
		const several = await apply(store, { id: 21n }, { id: 40n, name: "f" }, { name: "g" }, { name: "h" });
		assert.deepEqual(several, ["forgotten 21 –", "named 40 f", "named 41 g", "named 42 h"]);
		await apply(store, { id: 2n ** 53n - 100n, name: "last" }, { id: 2n ** 53n, name: "more" });
		const inGap = await apply(store, { name: "i" });
		assert.deepEqual(inGap, ["named 43 i"], "the largest gap, not a number that programs round");
		const more = await apply(store, { id: 45n, name: "j" }, { name: "k" }, { name: "l" });
		assert.deepEqual(more, ["named 45 j", "named 46 k", "named 47 l"]);
		// No number that another change of the same list has taken.
		const between = await apply(store, { name: "m" }, { id: 49n, name: "n" }, { name: "o" });
		assert.deepEqual(between, ["named 48 m", "named 49 n", "named 50 o"]);
		const folded = await runSql(databaseUrl, "SELECT name, folded FROM categories");
		for (const row of folded) assert.equal(row["folded"], comparedName(String(row["name"])));
	});

	test(`${engine}: a store has at most 10,000 names; at the limit, a category gets another name`, async (context) => {
		const { open, databaseUrl } = await make(context);
		const store = await open();
		const rows = Array.from({ length: 9999 }, (_, at) => `(${at + 1}, 'n${at}', 'n${at}')`);
		await runSql(databaseUrl, `INSERT INTO categories VALUES ${rows.join()}`);
		const full = { message: "a store has at most 10,000 names of categories: remove some first" };
		await assert.rejects(apply(store, { id: 1n, name: "other" }, { name: "a" }, { name: "b" }), full);
		assert.deepEqual(await apply(store, { name: "a" }, { name: "A" }), ["named 10000 a", "unchanged 10000 a"]);
		await assert.rejects(apply(store, { name: "b" }), full);
		assert.deepEqual(await apply(store, { name: "A" }), ["unchanged 10000 a"], "a name that is there");
		const swap = apply(store, { id: 1n, name: "other" }, { id: 2n }, { name: "b" });
		await assert.rejects(swap, full, "counted before a name is removed");
		assert.deepEqual(await apply(store, { id: 1n, name: "other" }, { id: 2n }), ["named 1 other", "forgotten 2 –"]);
		assert.equal((await store.categories.names()).length, 9999);
		await store.createPet({ name: "Rex", categoryId: 9000n });
		assert.deepEqual(await list(store, 3), ["1 other: 0", "3 n2: 0", "9000 n8999: 1"]);
	});

	test(`${engine}: nodes that name categories at once take neither the same name nor number`, async (context) => {
		const { open } = await make(context);
		const stores = [await open(), await open(), await open()] as const;
		const names = Array.from({ length: 8 }, (_, index) => `kind ${index}`);
		const spelled = (name: string, place: number) => (place === 0 ? name.toUpperCase() : name);
		const add = (store: Store, place: number) => names.map((name) => apply(store, { name: spelled(name, place) }));
		await Promise.all(stores.flatMap(add));
		const named = await stores[0].categories.names();
		assert.equal(`${named.map(({ id }) => id)}`, "1,2,3,4,5,6,7,8");
		assert.deepEqual(new Set(named.map(({ name }) => comparedName(name))), new Set(names));
	});

	test(`${engine}: the list of categories has totals that follow edits, named ones first`, async (context) => {
		const { open } = await make(context);
		const store = await open();
		const [first, last] = [-(2n ** 63n), 2n ** 63n - 1n];
		for (const categoryId of [1n, 2n, 2n, 3n, 3n, 3n, first, last]) await store.createPet({ name: "Rex", categoryId });
		await apply(store, { id: 1n, name: "one" }, { id: 9n, name: "nine" });
		const between = ["1 one: 1", "2 –: 2", "3 –: 3", "9 nine: 0"];
		assert.deepEqual(await list(store, 99), [`${first} –: 1`, ...between, `${last} –: 1`]);
		assert.deepEqual(await list(store, 3), ["1 one: 1", "3 –: 3", "9 nine: 0"]);
		await store.edits.apply({ petId: 4n, editor: "a", action: "set-category", categoryId: 9n });
		await store.edits.apply({ petId: 8n, editor: "a", action: "remove" });
		assert.deepEqual((await list(store, 99)).slice(1), ["1 one: 1", "2 –: 2", "3 –: 2", "9 nine: 1"]);
		await store.edits.apply({ petId: 7n, editor: "a", action: "remove" });
		await apply(store, { id: 0n, name: "unused" }, { id: first, name: "no longer used" });
		assert.deepEqual(await list(store, 2), ["1 one: 1", "9 nine: 1"]);
	});
}
