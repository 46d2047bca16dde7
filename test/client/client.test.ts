// The client against the running service: exact numbers, paging, retries without duplicates, and the service's errors.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { contractTypes, target } from "../../client/generate.ts";
import { AnimalStore, type ClientOptions } from "../../client/src/index.ts";
import { parseExact } from "../../client/src/int64.ts";
import { operations } from "../../src/contract/operations.ts";
import { seed } from "../support/random.ts";
import { testService } from "../support/service.ts";

fc.configureGlobal({ seed });

async function clientOf(context: TestContext, options: ClientOptions = {}) {
	const service = await testService(context);
	return { service, store: new AnimalStore({ url: service.url, key: service.key, ...options }) };
}

test("the client has the contract's types, and a method for every operation", () => {
	assert.equal(readFileSync(target, "utf8"), contractTypes(), "run npm run client");
	for (const name of Object.keys(operations)) assert.ok(name in AnimalStore.prototype, name);
});

const name = '1234567890123456789 "\\ \\u0000';

test("ids are strings by default, or bigints, of every int64; they are never rounded", async (context) => {
	const { service, store } = await clientOf(context);
	const exact = new AnimalStore({ url: service.url, key: service.key, int64: "bigint" });
	for (const int64 of [0n, -1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
		const pet = await store.createPet({ name, categoryId: int64 });
		assert.deepEqual(pet, { id: pet.id, name, categoryId: String(int64) });
		assert.match(pet.id, /^\d+$/);
		assert.deepEqual(JSON.parse(JSON.stringify(pet)), pet, "survives JSON");
		assert.deepEqual(await store.getPet(pet.id), pet);
		const same = await exact.getPet(BigInt(pet.id));
		assert.deepEqual(same, { id: BigInt(pet.id), name, categoryId: int64 });
		assert.deepEqual((await exact.listPets().toArray({ limit: 100 })).at(-1), same);
		assert.equal((await exact.createPet({ name, categoryId: String(int64) })).categoryId, int64);
	}
	assert.equal((await store.createPet({ name, categoryId: 7 })).categoryId, "7");
});

test("with int64: number, a value that no number holds exactly is a RangeError before sending", async (context) => {
	const { service, store } = await clientOf(context);
	const plain = new AnimalStore({ url: service.url, key: service.key, int64: "number" });
	for (const categoryId of [0, -1, 2 ** 53 - 1, -(2 ** 53 - 1)]) {
		const pet = await plain.createPet({ name, categoryId });
		assert.deepEqual(pet, { id: pet.id, name, categoryId });
		assert.deepEqual(await plain.getPet(pet.id), pet);
	}
	const sent = service.log.length;
	for (const categoryId of [2 ** 53, 1.5, 1e21, Number.NaN, 2n ** 53n, String(2n ** 53n)])
		await assert.rejects(plain.createPet({ name, categoryId }), RangeError, String(categoryId));
	for (const categoryId of [2 ** 53, 1.5, "", " 1", "1 ", "0x10", "1e3", "1_000", "seven"])
		await assert.rejects(store.createPet({ name, categoryId }), RangeError, String(categoryId));
	await assert.rejects(store.getPet("1/../2"), /petId must be an integer, not "1\/..\/2"/);
	assert.equal(service.log.length, sent);
	await store.createPet({ name, categoryId: 2n ** 53n });
	await assert.rejects(plain.listPage(), /categoryId 9007199254740992 is not exact as a number: .* int64: "string"/);
});

test("replies are parsed like JSON.parse, but with exact integers", () => {
	const values = fc.jsonValue({ maxDepth: 3 });
	fc.assert(
		fc.property(values, (value) => {
			fc.pre(!/"(id|categoryId)":/.test(JSON.stringify(value)));
			const small = (_name: string, part: unknown) => (typeof part === "number" && Math.abs(part) > 2 ** 53 ? 0 : part);
			const text = JSON.stringify({ value, digits: "12345678901234567890" }, small);
			for (const mode of ["string", "bigint", "number"] as const)
				assert.deepEqual(parseExact(text, mode), JSON.parse(text));
		}),
	);
	assert.deepEqual(parseExact('{"added":[1,1.5,9007199254740991,-9007199254740993]}', "number"), {
		added: [1, 1.5, 9007199254740991, "-9007199254740993"],
	});
	fc.assert(
		fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.string(), (id, name) => {
			const text = `[{"id":${id},"name":${JSON.stringify(name)}}]`;
			assert.deepEqual(parseExact(text, "bigint"), [{ id, name }]);
			assert.deepEqual(parseExact(text, "string"), [{ id: String(id), name }]);
			if (Number.isSafeInteger(Number(id))) assert.deepEqual(parseExact(text, "number"), [{ id: Number(id), name }]);
			else assert.throws(() => parseExact(text, "number"), RangeError);
		}),
	);
});
