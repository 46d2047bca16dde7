// `animal-store categories list`, `name` and `forget`, and `pets set-category`, while a service runs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../support/caller.ts";
import { assertRefused, call } from "../support/command.ts";
import { keyFor, startProgram } from "../support/program.ts";
import { temporaryStore } from "../support/service.ts";

test("categories are named, listed and forgotten, and take animals by number or name", async (context) => {
	const DATABASE_URL = temporaryStore(context);
	const key = await keyFor(DATABASE_URL);
	const { url } = await startProgram(context, { DATABASE_URL });
	const body = '{"name":"Rex","categoryId":9007199254740993}';
	assert.equal((await ask(`${url}/v1/pets`, { key, body })).status, 201);
	const options = { environment: { DATABASE_URL } };
	const says = async (...parameters: string[]) => {
		const { code, stdout, stderr } = await call(parameters, options);
		assert.deepEqual([code, stderr.startsWith("in ") || parameters.includes("list")], [0, true], stderr);
		return stdout;
	};
	const refuses = (said: RegExp, ...parameters: string[]) => assertRefused([[parameters, said]], options);
	assert.equal(await says("categories", "name", "Dög"), 'category 1 is called "Dög"\n');
	assert.equal(await says("categories", "name", " DÖG "), 'category 1 is called "Dög" already\n');
	const large = ["--number", "9007199254740993"];
	assert.equal(await says("categories", "name", "Cat", ...large), 'category 9007199254740993 is called "Cat"\n');
	await refuses(/category 1 is called "Dög" already: choose another name/, "categories", "name", "dög", ...large);
	await refuses(/name must be a string of 1 to 100/, "categories", "name", " ");
	await refuses(/must be an integer/, "categories", "name", "a", "--number", "1.5");
	const table = /^ +number {2}animals {2}name\n {15}1 {8}0 {2}Dög\n9007199254740993 {8}1 {2}Cat\n$/;
	assert.match(await says("categories", "list"), table);
	assert.match(await says("categories", "list", "--json"), /"id": 9007199254740993,\s+"name": "Cat",\s+"animals": 1\n/);
	const { categories } = JSON.parse((await ask(`${url}/console/categories`, { key })).body);
	assert.deepEqual(categories[0], { id: 1, name: "Dög", animals: 0 });

	assert.equal(await says("pets", "set-category", "1", "dög"), "animal 1 is in the category dög\n");
	assert.equal(await says("pets", "set-category", "1", "1", "--by", "Ann"), "animal 1 is in the category 1 already\n");
	const edited = await says("pets", "set-category", "1", "-5", "--json", "--by", "Ann");
	assert.equal(edited, '{"id":1,"action":"set-category","outcome":"edited"}\n');
	await refuses(/no category is called "bird": .*categories list shows the names/, "pets", "set-category", "1", "bird");
	await refuses(/there is no animal 2:/, "pets", "set-category", "2", "dög");
	const edits = JSON.parse(await says("audit", "list", "--json"));
	const change = { action: "set-category", fromCategoryId: 1, toCategoryId: -5 };
	assert.deepEqual(edits[1], { id: 2, at: edits[1].at, by: "Ann", petId: 1, ...change });
	assert.match(await says("audit", "list"), /^2 +\S+ +1 +set-category +1 → -5 +Ann$/m);

	assert.equal(await says("categories", "forget", "DÖG"), "category 1 has no name\n");
	assert.equal(await says("categories", "forget", "1", "--json"), '{"id":1,"name":null,"outcome":"unchanged"}\n');
	await refuses(/no category is called "Dög"/, "categories", "forget", "Dög");
});
