// Runs the recipes of client/README.md, unchanged, with the built client, and checks the README's figures.

import assert from "node:assert/strict";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { format } from "node:util";
import { ApiError, isUnsettledBy } from "../../client/src/errors.ts";
import { type ErrorCode, errorCodes, errors } from "../../src/contract/errors.ts";
import { read } from "../support/checkout.ts";
import { builtClient } from "../support/installed-client.ts";
import { testService } from "../support/service.ts";
import { readPets } from "../support/store-reads.ts";
import { cutting } from "../support/tcp-proxy.ts";

const folder = builtClient();

const readme = read("client/README.md");
const recipes = [...readme.matchAll(/^### \d+\. ([^\n]+)\n(?:(?!^#).)*?^```ts\n(.*?)^```$/gms)];

/** The output of each recipe, in their order, beside Ann, who is available, and Bob and Cat, who are sold. */
const expected: Record<string, RegExp> = {
	"Add an animal": /^Rex is animal 4\n$/,
	"Read all animals": /^1 Ann\n4 Rex\n$/,
	"Read some animals": /^2 Bob\nnewest: Cat,Rex and more\n$/,
	"Choose the type of ids": /^true 6n\n$/,
	"Add many animals, each once": /^(a-[123]: added as [678]\n){3}$/,
	"Act on an error": /^fix it: name must be a string of 1 to 255 .*\n$/,
	"Learn the outcome of a failed create":
		/^no reply from http:\S+: the connection was lost \(\w+\)\nadded once, as 9\n$/,
	"Read headers and the request id": /^1 200 true true\n$/,
	"Limit the time": /^1\nthe user left\n$/,
	"Log retries, trace requests":
		/^attempt 1, true: no reply from http:\S+: the connection was lost \(\w+\)\nPOST got 201, attempt 2\n$/,
};
/** Recipes that run over a connection that loses the first reply. */
const lossy = ["Learn the outcome of a failed create", "Log retries, trace requests"];

test("each of the ten recipes of the README does what it says", async (context) => {
	const { store, url, key, port } = await testService(context);
	for (const name of ["Ann", "Bob", "Cat"])
		await store.createPet({ name, categoryId: 1n, status: name === "Ann" ? "available" : "sold" });
	const env: NodeJS.ProcessEnv = { ANIMAL_STORE_KEY: key };
	context.mock.property(process, "env", env);
	let printed = "";
	context.mock.method(console, "log", (...values: unknown[]) => {
		printed += `${format(...values)}\n`;
	});
	const runRecipe = async (title: string, text: string) => {
		env["ANIMAL_STORE_URL"] = lossy.includes(title) ? await cutting(context, port, 1) : url;
		printed = "";
		const file = join(mkdtempSync(join(folder, "recipe-")), "recipe.ts");
		writeFileSync(file, text);
		await import(file);
		return printed;
	};
	for (const [, title = "", text = ""] of recipes) {
		assert.match(await runRecipe(title, text), expected[title] ?? /^there is no such recipe$/, title);
		if (title.startsWith("Add many"))
			assert.match(await runRecipe(title, text), /^(a-[123]: already there as [678]\n){3}$/);
	}
	assert.equal(recipes.length, 10);
	assert.equal((await readPets(store, { after: 0n, limit: 100 })).length, 10, "each was added once");
});

test("the README's list of codes that refuse the request itself is that of the client", () => {
	const [, list = ""] = /refuses the request itself\n\(([^)]+)\)/.exec(readme) ?? [];
	const codes = [...list.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code);
	const refusal = (code: ErrorCode) => new ApiError("m", new Response(null, { status: errors[code].status }), code);
	const settling = errorCodes.filter((code) => !isUnsettledBy(refusal(code), true));
	assert.deepEqual(codes.sort(), settling.sort());
});
