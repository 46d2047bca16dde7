// Creates without a reply are looked up among the animals that were added since.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { NewPet, Pet } from "../contract/pet.ts";
import { addedPets, lookUp, newestId } from "./creates.ts";
import { blobSource, detectKind } from "./formats.ts";
import { describeUnknown, rejectedRow, unknownCreateOf } from "./rejected-rows.ts";
import { type FileRow, type ReadOptions, readRows } from "./rows.ts";

const rex: NewPet = { name: "Rex", categoryId: 1n };
const sold: NewPet = { ...rex, status: "sold" };

/** A list of animals with the ids from 1 on, three on a page, newest page first. */
function listOf(...pets: NewPet[]) {
	const all = pets.map((pet, at): Pet => ({ ...pet, id: BigInt(at + 1) }));
	let read = 0;
	async function* pages() {
		for (let end = all.length; end > 0; end -= 3) {
			read++;
			yield { pets: all.slice(Math.max(0, end - 3), end) };
		}
	}
	return { store: { listPets: () => ({ pages }) }, pagesRead: () => read };
}

const unknown = (pet: NewPet, after?: bigint, equals = 0) => ({ pet, after, equals });

test("equal creates without a reply are found once for each equal animal since, without those of other rows", async () => {
	const { store } = listOf(rex, rex, sold, rex, { ...rex, categoryId: 2n }, { ...rex, name: "Mia" }, rex);
	assert.deepEqual(await lookUp(store, [unknown(rex, 2n), unknown(rex, 2n), unknown(rex, 2n)]), [7n, 4n, undefined]);
	assert.deepEqual(await lookUp(store, [unknown(rex, 2n, 1), unknown(rex, 2n, 1)]), [4n, undefined]);
	assert.deepEqual(await lookUp(store, [unknown(rex, 1n), unknown(rex, 5n), unknown(rex, 6n)]), [4n, undefined, 7n]);
	assert.deepEqual(await lookUp(store, [unknown(rex), unknown(sold, 2n), unknown(sold, 3n)]), [
		undefined,
		3n,
		undefined,
	]);
	assert.equal(await newestId(store), 7n);
	assert.equal(await newestId(listOf().store), 0n);
});

test("a look-up reads no further back than the oldest create without a reply", async () => {
	const list = listOf(...Array.from({ length: 30 }, () => rex));
	await lookUp(list.store, [unknown(rex, 27n), unknown(sold, 26n)]);
	assert.equal(list.pagesRead(), 2);
});

test("animals that were added are remembered while a create without a reply may be older", () => {
	const pets = addedPets(10n);
	for (const id of [11n, 12n]) pets.add({ ...rex, id });
	const lost = [{ pet: rex, after: 11n }, { pet: sold, after: 12n }, { pet: rex }];
	for (const forget of [() => {}, () => pets.forget([{ after: 11n }])]) {
		forget();
		assert.deepEqual(pets.toUnknown(lost), [unknown(rex, 11n, 1), unknown(sold, 11n), unknown(rex, undefined, 1)]);
	}
	pets.forget([]);
	assert.deepEqual(pets.toUnknown(lost.slice(0, 1)), [unknown(rex, 11n)]);
});

test("the reason of a row without a reply has everything that a look-up needs, in CSV and in JSON", () => {
	const place = { line: 2, row: 2, number: 2, pet: rex };
	for (const create of [unknown(rex), unknown(rex, 7n), unknown(rex, 7n, 3)]) {
		const reason = describeUnknown(create);
		const csv = { columns: ["line", "reason", "name"], cells: ["2", reason, "Rex"] };
		assert.deepEqual(unknownCreateOf({ ...place, given: csv }), create);
		const json = `{"name":"Rex","categoryId":1,"line":2,"reason":${JSON.stringify(reason)}}`;
		assert.deepEqual(unknownCreateOf({ ...place, given: json }), create);
	}
	assert.equal(unknownCreateOf({ ...place, given: { columns: ["reason"], cells: ["not added: …"] } }), undefined);
});

test("a row without a reply keeps its reason while it has faults, so that it is looked up once they are fixed", async () => {
	const lost = unknown(sold, 7n);
	const files = {
		csv: `line,reason,name,categoryId,status\n2,${describeUnknown(lost)},Rex,1,weg\n`,
		ndjson: `{"name":"Rex","categoryId":1,"status":"weg","line":2,"reason":"${describeUnknown(lost)}"}\n`,
	};
	for (const content of Object.values(files)) {
		const read = async (text: string, values: ReadOptions["values"] = new Map()) => {
			const source = blobSource(new Blob([text]));
			const kind = await detectKind(source);
			const [rows = []] = await Array.fromAsync(readRows(source, kind, { values }));
			return { row: rows[0] as FileRow, kind };
		};
		const { row, kind } = await read(content);
		const rejected = rejectedRow(row, "status must be one of …", kind, true);
		const fixed = await read(rejected, new Map([["weg", "sold"]]));
		assert.deepEqual(unknownCreateOf(fixed.row), lost);
	}
});
