// A new operation in the contract leads to every other place: the compiler names the handler, the code samples and the
// requests that provoke errors, and tests lead to the OpenAPI document and the client.

import { test } from "node:test";
import { slowMs } from "../support/until.ts";
import { type Addition, changedTree } from "./changed-tree.ts";

const countPets = `
	countPets: {
		method: "GET",
		path: "/count",
		scope: "pets:read",
		summary: "Count animals",
		description: "Returns the number of animals.",
		query: Type.Object({}),
		success: {
			status: 200,
			description: "The number of animals.",
			schema: Type.Object(
				{ animals: Type.Integer({ description: "their number", minimum: 0, maximum: 1000 }) },
				{ component: "Count", description: "a number of animals", examples: [{ animals: 1 }] },
			),
			headers: ["Vary"],
		},
		errors: [],
	},
`;
const handler = `
		async countPets(exchange) {
			createQueryReader(operations.countPets.query)(exchange.query);
			const { counts } = await store.countPets(0n, 1000);
			const json = JSON.stringify({ animals: counts.available });
			exchange.header("cache-control", "private, no-cache").vary("Authorization").sendJson(json);
		},`;
const places: Addition[] = [
	["src/http/pets.ts", "isSettled: isSettled(query, page), links, variant });\n\t\t},", handler],
	["openapi/code-samples.ts", "codeSamples: Record<OperationName, CodeSample[]> = {", 'countPets: [curl("/count")],'],
	["test/client/clients.test.ts", "const expected: Record<OperationName, RegExp> = {", "countPets: /1/,"],
	[
		"test/contract/check-order.test.ts",
		"const good: Record<OperationName, Parts> = {",
		'countPets: { method: "GET", path: "/v1/count" },',
	],
];

test("a new operation fails the compiler, then tests, until it has all of its places", {
	timeout: slowMs, // The test runs the compiler and other tests in a copy.
}, async (context) => {
	const { edit, run, leadsTo, fails, passes } = changedTree(context);
	edit(["src/contract/operations.ts", "export const operations = {", countPets]);
	leadsTo(".", places);
	edit(["openapi/document.ts", "Error: ErrorBody", ", Count: operations.countPets.success.schema"]);
	await fails("test/contract/openapi.test.ts", "openapi.json is up to date: npm run openapi writes it");
	run("openapi/document.ts");
	await passes("test/contract/check-order.test.ts");
	await fails("test/client/client.test.ts", "the client has the contract's types, and a method for every operation");
});
