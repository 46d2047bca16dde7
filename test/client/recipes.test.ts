// Runs the recipes of client/README.md, unchanged, with the built client, and checks the README's figures.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { ApiError, isUnsettledBy } from "../../client/src/errors.ts";
import { type ErrorCode, errorCodes, errors } from "../../src/contract/errors.ts";
import type { PetStatus } from "../../src/contract/pet.ts";
import { read } from "../support/checkout.ts";
import { builtClient } from "../support/installed-client.ts";
import { testService } from "../support/service.ts";
import { readPets } from "../support/store-reads.ts";
import { cutting } from "../support/tcp-proxy.ts";

const run = promisify(execFile);
const folder = builtClient();

const readme = read("client/README.md");
const recipes = new Map(
	[...readme.matchAll(/^### \d+\. ([^\n]+)\n(?:(?!^#).)*?^```ts\n(.*?)^```$/gms)].map(([, title = "", text = ""]) => [
		title,
		text,
	]),
);

/** The output of each recipe, with three animals in the store: Ann is available, Bob and Cat are sold. */
const expected: Record<string, RegExp> = {
	"Add an animal": /^Rex is animal 4\n$/,
	"Read all animals": /^1 Ann\n$/,
	"Read some animals": /^2 Bob\nnewest: Bob,Cat and more\n$/,
	"Choose the type of ids": /^true 5n\n$/,
	"Add many animals, each once": /^(a-[123]: added as [456]\n){3}$/,
	"Act on an error": /^fix it: name must be a string of 1 to 255 .*\n$/,
	"Learn the outcome of a failed create":
		/^no reply from http:\S+: the connection was lost \(\w+\)\nadded once, as 4\n$/,
	"Read headers and the request id": /^1 200 true true\n$/,
	"Limit the time": /^1\nthe user left\n$/,
	"Log retries, trace requests":
		/^attempt 1, true: no reply from http:\S+: the connection was lost \(\w+\)\nPOST got 201, attempt 2\n$/,
};
/** Recipes that run over a connection that loses the first reply. */
const lossy = ["Learn the outcome of a failed create", "Log retries, trace requests"];
const adding = ["Add an animal", "Add many animals, each once", ...lossy];

async function serviceWithPets(context: TestContext) {
	const service = await testService(context);
	const pets: [name: string, status: PetStatus][] = [
		["Ann", "available"],
		["Bob", "sold"],
		["Cat", "sold"],
	];
	for (const [name, status] of pets) await service.store.createPet({ name, categoryId: 1n, status });
	return service;
}

async function runRecipe(title: string, url: string, key: string): Promise<string> {
	const file = join(folder, `${title.replaceAll(/\W+/g, "-")}.ts`);
	writeFileSync(file, recipes.get(title) ?? "");
	const env = { PATH: process.env["PATH"], ANIMAL_STORE_URL: url, ANIMAL_STORE_KEY: key };
	return (await run(process.execPath, [file], { env, timeout: 120_000, killSignal: "SIGKILL" })).stdout;
}

test("the README has ten recipes, and the test knows each", () => {
	assert.equal(recipes.size, 10);
	assert.deepEqual([...recipes.keys()], Object.keys(expected));
});

test("the recipes that add no animal do what they say", async (context) => {
	const { url, key } = await serviceWithPets(context);
	for (const [title, printed] of Object.entries(expected))
		if (!adding.includes(title)) assert.match(await runRecipe(title, url, key), printed, title);
});

for (const title of adding) {
	const printed = expected[title] as RegExp;
	test(`recipe “${title}” does what it says`, async (context) => {
		const service = await serviceWithPets(context);
		const url = lossy.includes(title) ? await cutting(context, service.port, 1) : service.url;
		assert.match(await runRecipe(title, url, service.key), printed);
		if (lossy.includes(title)) {
			const pets = await readPets(service.store, { after: 0n, limit: 100 });
			assert.equal(pets.length, 4, "added once");
		}
		if (title.startsWith("Add many"))
			assert.match(await runRecipe(title, url, service.key), /^(a-[123]: already there as [456]\n){3}$/);
	});
}

test("the README's list of codes that refuse the request itself is that of the client", () => {
	const [, list = ""] = /refuses the request itself\n\(([^)]+)\)/.exec(readme) ?? [];
	const codes = [...list.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code);
	const refusal = (code: ErrorCode) => new ApiError("m", new Response(null, { status: errors[code].status }), code);
	const settling = errorCodes.filter((code) => !isUnsettledBy(refusal(code), true));
	assert.deepEqual(codes.sort(), settling.sort());
});
