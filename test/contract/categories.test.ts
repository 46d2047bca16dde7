// `/console/categories`: the categories that it shows, and the effect of changes.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { CategoriesReply, CategoryResult } from "../../src/contract/console.ts";
import { posting } from "../support/pool.ts";
import { assertFailure, consoleReply, type TestService, testService } from "../support/service.ts";

const path = "/console/categories";

const post = posting(path);

async function change(service: TestService, ...categories: unknown[]): Promise<CategoryResult[]> {
	return JSON.parse(await consoleReply(service, post({ categories }))).results;
}

async function list(service: TestService): Promise<CategoriesReply["categories"]> {
	return JSON.parse(await consoleReply(service, { path })).categories;
}

test("categories are listed with their names and totals, and each change has its outcome", async (context) => {
	const service = await testService(context);
	for (const categoryId of [4n, 4n, -1n]) await service.store.createPet({ name: "Rex", categoryId });
	assert.deepEqual(await change(service, { name: "Dog" }, { name: "  DOG" }, { id: 4, name: "Cat" }), [
		{ outcome: "named", id: 5, name: "Dog" },
		{ outcome: "unchanged", id: 5, name: "Dog" },
		{ outcome: "named", id: 4, name: "Cat" },
	]);
	assert.deepEqual(await list(service), [
		{ id: -1, animals: 1 },
		{ id: 4, name: "Cat", animals: 2 },
		{ id: 5, name: "Dog", animals: 0 },
	]);
	const dog = { id: 5, name: "dog" };
	const changes = [{ id: 4, name: "dog" }, dog, dog, { id: 5 }, { id: 5 }, { id: 4, name: "Dog" }];
	assert.deepEqual(await change(service, ...changes), [
		{ outcome: "taken", id: 5, name: "Dog" },
		{ outcome: "named", id: 5, name: "dog" },
		{ outcome: "unchanged", id: 5, name: "dog" },
		{ outcome: "forgotten", id: 5 },
		{ outcome: "unchanged", id: 5 },
		{ outcome: "named", id: 4, name: "Dog" },
	]);
	const large = "9223372036854775807";
	const { body } = await service.send(post(`{"categories":[{"id":${large},"name":"Last"}]}`));
	assert.equal(body, `{"results":[{"outcome":"named","id":${large},"name":"Last"}]}`);
	assert.ok((await service.send({ path })).body.endsWith(`{"id":${large},"name":"Last","animals":0}]}`));
});

test("a request names up to 100 categories, with the longest names; a store has at most 10,000", async (context) => {
	const service = await testService(context);
	assertFailure(await service.send(post("{")), "invalid_json");
	assertFailure(await service.send({ method: "DELETE", path }), "method_not_allowed");
	const longest = { categories: Array.from({ length: 100 }, (_, id) => ({ id, name: `${id} ${"𝄞".repeat(96)}` })) };
	assert.equal((await service.send(post(longest))).status, 200);
	const named = (from: number) => Array.from({ length: 100 }, (_, at) => ({ name: `n${from + at}` }));
	for (let from = 100; from < 10_000; from += 100) await service.store.categories.apply(named(from));
	const refused = await service.send(post({ categories: [{ name: "one" }] }));
	assertFailure(refused, "invalid_body");
	assert.match(JSON.parse(refused.body).message, /^a store has at most 10,000 names of cat/);
});
