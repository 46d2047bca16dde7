// `animal-store categories list`, `name` and `forget`, and `pets set-category`, while a service runs. What they print
// is in test/outcomes/commands.txt.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../support/caller.ts";
import { callWell } from "../support/command.ts";
import { keyFor, startProgram } from "../support/program.ts";
import { temporaryStore } from "../support/service.ts";

test("a category that is named, given and forgotten in the store is so in the running service", async (context) => {
	const DATABASE_URL = temporaryStore(context);
	const key = await keyFor(DATABASE_URL);
	const { url } = await startProgram(context, { DATABASE_URL });
	const body = '{"name":"Rex","categoryId":9007199254740993}';
	assert.equal((await ask(`${url}/v1/pets`, { key, body })).status, 201);
	const run = (...parameters: string[]) => callWell(parameters, { environment: { DATABASE_URL } });
	const shown = async () => (await ask(`${url}/console/categories`, { key })).body;
	await run("categories", "name", "Dög");
	await run("categories", "name", "Cat", "--number", "9007199254740993");
	const dog = '{"id":1,"name":"Dög","animals":0}';
	assert.equal(await shown(), `{"categories":[${dog},{"id":9007199254740993,"name":"Cat","animals":1}]}`);
	assert.match(await run("categories", "list"), /^9007199254740993 {8}1 {2}Cat$/m);
	await run("pets", "set-category", "1", "dög");
	await run("categories", "forget", "DÖG");
	assert.equal(await shown(), '{"categories":[{"id":1,"animals":1},{"id":9007199254740993,"name":"Cat","animals":0}]}');
});
