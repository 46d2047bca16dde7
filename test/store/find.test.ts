// Searches in the store, on both engines: what they find, in which order, and how they share the store with other
// requests.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";
import { type Sort, sorts } from "../../src/contract/console.ts";
import { foldedText } from "../../src/contract/equal-texts.ts";
import { type Pet, petStatuses } from "../../src/contract/pet.ts";
import { findPets } from "../../src/store/find.ts";
import { openStore } from "../../src/store/open.ts";
import type { Scan } from "../../src/store/reads.ts";
import { fold } from "../../src/store/sqlite/scan-thread.ts";
import { createScans, findSql } from "../../src/store/sqlite/scans.ts";
import type { FindPosition, FindQuery, Store } from "../../src/store/store.ts";
import { pick, seed, seededRandom } from "../support/random.ts";
import { runSql } from "../support/sql.ts";
import { petsOf } from "../support/store-reads.ts";
import { engines } from "./engines.ts";

const editor = "operator";

/** Names whose letters need every kind of case folding and normalization. */
const hardNames = [
	"Rex",
	"MÜSLI mu\u0308sli",
	"Straße STRASSE ẞ",
	"ΟΔΟΣ οδός ς",
	"İzmir Iğdır ı",
	"Ångström Å Å",
	"ﬁsh ｆｉｓｈ ⅻ ㎒ ﷺ",
	"Łucja Øre Æ ĳ Ŀ",
	"Бело́к ЁЖ Ѷ",
	"ՄԵՐԻ Ⴀ ა Ა",
	"한글 각 ᄀ",
	"Ấ Ầ q\u0323\u0307",
	"𐐀 𝔄 𞤀 Ꭰ ꭰ Ǆ ǅ",
	"शिव แมว حِصان سلام",
	"Łukasz Ølga Ægir Œuf Đuka Ðóra Þór Ħal",
	"O’Neil O‘Neil Oʼ′´ Jean`Luc A‐B‑C‒D–E—F−G",
	"เอ หมู หมี บี",
	"がか ガカ ｶﾞ か\u3099 ハ\u309a",
	"क़ कि क עִבְרִית שלום أحمد ا\u0653",
	"🐕‍🦺 \u2028 \u00ad x\u200dy",
	" ' \" \\ % _ * [a]",
];

async function find(store: Store, query: Omit<FindQuery, "limit"> & { limit?: number }, signal?: AbortSignal) {
	const { pets, ...found } = await store.findPets({ limit: 100, ...query }, signal);
	return { ...found, pets: petsOf({ json: `[${pets.join()}]` }) };
}

/** Reads all animals that a search finds, page by page. @param between called after each page */
async function findAll(store: Store, query: FindQuery, between = async () => {}) {
	const found = [];
	let after: FindPosition | undefined;
	do {
		const { pets, next } = await find(store, { ...query, after });
		found.push(...pets);
		assert.ok(pets.length === query.limit || !next);
		after = next;
		await between();
	} while (after);
	return found;
}

/** Compares two texts by their UTF-8 bytes, as SQLite and PostgreSQL do. */
const compare = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

test("a text is folded in the same way by the faster form of the search thread", () => {
	for (const name of hardNames) assert.equal(fold(name), foldedText(name), name);
	for (let code = 0; code < 0x10000; code += 7) {
		const letter = String.fromCharCode(code);
		assert.equal(fold(`a${letter}b`), foldedText(`a${letter}b`), code.toString(16));
	}
});

/** SQL that adds animals. @param values the name and the category of animal i */
const insertPets = (count: number, values: string) => `INSERT INTO pets (id, name, category_id)
	WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i, ${values} FROM n`;

for (const [engine, make] of Object.entries(engines)) {
	test(`${engine}: a name is found by any of its parts, without case and marks, and sorted so`, async (context) => {
		const store = await (await make(context)).open();
		for (const name of hardNames) await store.createPet({ name, categoryId: -1n });
		const names = async (sort: Sort) => (await findAll(store, { sort, limit: 3 })).map(({ name }) => name);
		const sorted = hardNames.toSorted((one, other) => compare(foldedText(one), foldedText(other)));
		assert.deepEqual(await names("name"), sorted);
		assert.deepEqual(await names("-name"), sorted.toReversed());
		for (const part of hardNames.flatMap((name) => [name, ...name.split(" ").filter(Boolean)])) {
			const plain = foldedText(part);
			for (const written of [part, part.toUpperCase(), part.toLowerCase(), part.normalize("NFD"), plain]) {
				const expected = hardNames.filter((other) => foldedText(other).includes(foldedText(written)));
				const { pets, total } = await find(store, { name: written, isCounted: true });
				assert.deepEqual([pets.map((pet) => pet.name), total], [expected, expected.length], written);
			}
		}
	});

	test(`${engine}: animals are found by the name of their category, on each page once`, async (context) => {
		const store = await (await make(context)).open();
		await store.categories.apply([{ name: "Kätzchen" }, { name: "Katze" }, { name: "Hund" }, { id: -7n, name: "หมี" }]);
		for (let at = 0; at < 24; at++)
			await store.createPet({ name: at % 6 ? "Rex" : "Katz", categoryId: BigInt(at % 4) });
		await store.createPet({ name: "Pu", categoryId: -7n, status: "sold" });
		const idsOf = async (query: Omit<FindQuery, "limit">) =>
			(await findAll(store, { ...query, limit: 4 })).map(({ id }) => Number(id)).sort((one, other) => one - other);
		const isFound = (id: number) => id % 6 === 1 || id % 4 === 2 || id % 4 === 3;
		const expected = Array.from({ length: 24 }, (_, at) => at + 1).filter(isFound);
		for (const sort of sorts) assert.deepEqual(await idsOf({ name: "KATZ", sort }), expected, sort);
		assert.equal((await find(store, { name: "katz", limit: 3, isCounted: true })).total, expected.length);
		assert.deepEqual(await idsOf({ name: "หมี" }), [25]);
		assert.deepEqual(await idsOf({ name: "หมู" }), []);
		assert.deepEqual(await idsOf({ name: "หมี", status: "available" }), []);
		assert.deepEqual(await idsOf({ name: "katz", category: 3n }), [], "both are needed");
		await store.categories.apply([{ id: -7n }]);
		assert.deepEqual(await idsOf({ name: "หมี" }), []);
	});

	test(`${engine}: a whole number finds the animal's id, the category, and names with it`, async (context) => {
		const store = await (await make(context)).open();
		for (const [name, categoryId] of Object.entries({ Rex: 3n, "a 1": -7n, "b -7": 2n, c: 2n ** 63n - 1n }))
			await store.createPet({ name, categoryId });
		const ids = async (name: string) => (await find(store, { name })).pets.map(({ id }) => Number(id));
		assert.deepEqual(await ids("3"), [1, 3]);
		assert.deepEqual(await ids(" 1 "), [1], "a name must contain the blanks");
		assert.deepEqual(await ids("1"), [1, 2]);
		assert.deepEqual(await ids("-7"), [2, 3]);
		assert.deepEqual(await ids("9223372036854775807"), [4]);
		for (const none of ["9223372036854775808", "03", "+3", "3.0"]) assert.deepEqual(await ids(none), []);
	});

	test(`${engine}: a search finds what a filter of all animals finds, in any order and page size`, async (context) => {
		const store = await (await make(context)).open();
		const random = seededRandom(seed);
		const names = ["Ann", "ann", "Änne", "Bo", "anno 7", "ß", "SS"];
		const statuses = [undefined, ...petStatuses];
		const all = Array.from({ length: 80 }, (_, index) => ({
			id: BigInt(index + 1),
			name: pick(names, random),
			categoryId: BigInt(Math.floor(random() * 3)),
			status: pick(statuses, random),
		}));
		for (const { id: _, ...pet } of all) await store.createPet(pet);
		await store.categories.apply([{ id: 2n, name: "Xän" }]);
		for (let turn = 0; turn < 40; turn++) {
			const name = pick([undefined, "an", "ss", "7", "x"], random);
			const status = pick(statuses, random);
			const category = pick([undefined, 0n, 1n], random);
			const sort = pick([undefined, ...sorts], random);
			const expected = all.filter(
				(pet) =>
					(name === undefined ||
						foldedText(pet.name).includes(name) ||
						(pet.categoryId === 2n && "xan".includes(name)) ||
						[pet.id, pet.categoryId].map(String).includes(name)) &&
					(status === undefined || pet.status === status) &&
					(category === undefined || pet.categoryId === category),
			);
			if (sort?.endsWith("name")) expected.sort((one, other) => compare(foldedText(one.name), foldedText(other.name)));
			if (sort?.startsWith("-")) expected.reverse();
			const query = { name, status, category, sort };
			const found = await findAll(store, { ...query, limit: 1 + Math.floor(random() * 20) });
			const shown = String(Object.entries(query));
			assert.equal(`${found.map(({ id }) => id)}`, `${expected.map(({ id }) => id)}`, shown);
			const { total, isMore } = await find(store, { ...query, limit: 5, isCounted: true });
			assert.deepEqual([total, isMore], [expected.length, undefined], shown);
		}
	});

	test(`${engine}: pages skip and repeat no unchanged animal while others add, rename and remove`, async (context) => {
		const { open } = await make(context);
		const [store, other] = [await open(), await open()];
		const random = seededRandom(seed);
		const nameOf = (index: number) => `${"zyxwvut"[index % 7]} ${index % 3}`;
		for (let index = 0; index < 60; index++) await store.createPet({ name: nameOf(index), categoryId: 1n });
		for (const sort of sorts) {
			const changed = new Set<bigint>();
			const { lastId } = await store.version();
			const found = await findAll(store, { sort, limit: 4 }, async () => {
				const petId = 1n + BigInt(Math.floor(random() * Number(lastId)));
				changed.add(petId);
				await other.createPet({ name: nameOf(Number(petId)), categoryId: 1n });
				const action = pick(["rename", "remove"] as const, random);
				await other.edits.apply({ petId, editor, ...(action === "rename" ? { action, name: nameOf(5) } : { action }) });
			});
			const unchanged = (pets: Pet[]) =>
				pets
					.map(({ id }) => id)
					.filter((id) => id <= lastId && !changed.has(id))
					.sort();
			assert.deepEqual(unchanged(found), unchanged(await findAll(store, { limit: 100 })));
		}
	});

	test(`${engine}: the total of a search for a text is exact up to 10,000, and any other always`, async (context) => {
		const { open, databaseUrl } = await make(context);
		const store = await open();
		const count = 20_004;
		const names = "CASE WHEN i % 2 = 0 THEN 'Änne' WHEN i < 20000 THEN 'Bo' ELSE 'Rex' END";
		await runSql(databaseUrl, insertPets(count, `${names}, i % 2`));
		const totalOf = async (query: Omit<FindQuery, "limit">) => {
			const { total, isMore } = await find(store, { ...query, limit: 50, isCounted: true });
			return [total, isMore];
		};
		for (const sort of sorts) assert.deepEqual(await totalOf({ name: "anne", sort }), [10_000, true], sort);
		assert.deepEqual(await totalOf({ name: "bo", sort: "-name" }), [10_000, undefined]);
		assert.deepEqual(await totalOf({ name: "rex" }), [2, undefined]);
		assert.deepEqual(await totalOf({ sort: "-id" }), [count, undefined]);
		assert.deepEqual(await totalOf({ category: 0n, sort: "name" }), [count / 2, undefined]);
		assert.deepEqual(await totalOf({ without: "status", category: 1n }), [count / 2, undefined]);
		assert.deepEqual(await totalOf({ without: "status", name: "rex" }), [2, undefined]);
	});

	test(`${engine}: reads go on during searches, a search sees all before it, and may be dropped`, async (context) => {
		const { open, databaseUrl } = await make(context);
		const store = await open();
		await runSql(databaseUrl, insertPets(60_000, "'Änne ' || i, i % 50"));
		if (engine === "postgres") await runSql(databaseUrl, "UPDATE counters SET last_id = 60000 WHERE name = 'pets'");
		await store.categories.list(9); // Starts its thread, if the engine has one.
		let isSearching = true;
		const searches = Promise.all(Array.from({ length: 4 }, () => find(store, { name: "nobody" })));
		const searching = searches.finally(() => {
			isSearching = false;
		});
		const leaving = new AbortController();
		const left = assert.rejects(store.findPets({ name: "nobody", limit: 9 }, leaving.signal), { message: "left" });
		leaving.abort(new Error("left"));
		assert.deepEqual([(await store.categories.list(9)).length, isSearching], [9, true], "categories do not wait");
		const [newest] = (await find(store, { sort: "-id", isCounted: true })).pets;
		assert.deepEqual([newest?.id, isSearching], [60_000n, true], "nor does a page of the list");
		let answered = 0;
		for (; isSearching; answered++) await store.getPet(1n);
		assert.ok((await searching).every(({ pets }) => pets.length === 0));
		await left;
		const { signal } = new AbortController();
		await find(store, { name: "nobody" }, signal);
		assert.deepEqual(getEventListeners(signal, "abort"), [], "no later search ends with an earlier one");
		assert.ok(answered >= 4, `${answered} reads`);
		const { id } = await store.createPet({ name: "Nobody", categoryId: 1n });
		const ids = (await find(store, { name: "nobody" })).pets.map((pet) => pet.id);
		assert.deepEqual(ids, [id]);
	});
}

test("sqlite: a search leaves no read transaction, so that the log is emptied", async (context) => {
	const { open, databaseUrl } = await engines.sqlite(context);
	const store = await open();
	await store.createPet({ name: "Rex", categoryId: 1n });
	await find(store, { name: "rex" });
	const [row] = await runSql(databaseUrl, "PRAGMA wal_checkpoint(TRUNCATE)");
	assert.deepEqual({ ...row }, { busy: 0, log: 0, checkpointed: 0 });
});

test("sqlite: a search that nobody waits for ends while it runs, and the next one begins", async (context) => {
	const { databaseUrl } = await engines.sqlite(context);
	await (await openStore(databaseUrl, Date.now)).close();
	const scans = createScans(databaseUrl.slice("sqlite:".length));
	context.after(scans.close);
	const asked: unknown[] = [];
	const noRows: Scan = async (_, rest, __, signal) => {
		asked.push([rest.includes("is_wanted()"), signal]);
		return [];
	};
	const { signal: given } = new AbortController();
	const next = { name: "Rex", limit: 1, after: { id: 1n }, isCounted: true };
	await findPets({ scan: noRows, scanList: noRows, findSql }, next, given);
	assert.deepEqual(asked, Array(2).fill([true, given]), "both the page and the total end");
	const endless = `FROM (WITH RECURSIVE endless (id, name, category_id, status) AS (SELECT 1, 'Rex', 1, NULL
		UNION ALL SELECT id + 1, name, category_id, status FROM endless) SELECT * FROM endless) AS pets`;
	const scan: Scan = (columns, rest, values = [], signal) =>
		scans.run({ text: `SELECT ${columns.join(", ")} ${rest.replaceAll("FROM pets", endless)}`, values }, signal);
	const queries: Partial<FindQuery>[] = sorts.map((sort) => ({ sort, name: "Max" }));
	for (const query of [...queries, { sort: "name" as const }, { name: "1 Max" }]) {
		const leaving = new AbortController();
		const finding = findPets({ scan, scanList: scan, findSql }, { limit: 50, ...query }, leaving.signal);
		const ended = assert.rejects(finding, { name: "AbortError" });
		await tick(); // Until the thread has been asked.
		leaving.abort();
		await ended;
		assert.deepEqual(await scans.run({ text: "SELECT is_wanted()" }), [[1]]);
	}
});

test("sqlite: after a failure of its thread, a search is answered by another thread", async (context) => {
	const { databaseUrl } = await engines.sqlite(context);
	const file = databaseUrl.slice("sqlite:".length);
	const scans = createScans(file);
	const statement = { text: "SELECT 1" };
	await assert.rejects(scans.run(statement), { name: "StorageUnavailable", message: /search thread failed/ });
	await (await openStore(databaseUrl, Date.now)).close();
	assert.deepEqual(await scans.run(statement), [[1n]]);
	await assert.rejects(scans.run({ text: "SELECT absent" }), /no such column/);
	assert.deepEqual(await scans.run(statement), [[1n]]);
	const last = scans.run(statement);
	const late = assert.rejects(scans.run(statement), { name: "StorageUnavailable", message: "the store is closed" });
	await scans.close();
	await late;
	assert.deepEqual(await last, [[1n]]);
	await assert.rejects(scans.run(statement), { message: "the store is closed" });
});
