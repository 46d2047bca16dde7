// Adds a required and an optional field, a filter and an operation to the contract of a copy of the tree. The compiler
// names every place that needs them, and tests lead to the rest: the columns, the index, the OpenAPI document and the
// client. Then all of them work everywhere. They are added together, because most of the time is the compiler's.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proofTestLimitMs } from "../../support/until.ts";
import { type Addition, changedTree } from "./changed-tree.ts";

const breed = 'breed: Type.String({ description: "a string of 1 to 50 characters", minLength: 1, maxLength: 50 })';
const chip = 'chip: Type.Optional(Int64("the number of its chip"))';
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
const lastFilter = 'index: "pets_by_status", noun: "status" },';
const inContract: Addition[] = [
	["src/contract/pet.ts", "status: Type.Optional(PetStatus),", `\n\t${breed},\n\t${chip},`],
	[
		"src/contract/filters.ts",
		lastFilter,
		`
	categoryId: {
		schema: { ...NewPet.properties.categoryId, examples: [1] },
		compares: "equal",
		index: "pets_by_category_id",
		noun: "category",
	},`,
	],
	["src/contract/operations.ts", "export const operations = {", countPets],
];

const byName = 'schema: NewPet.properties.name, compares: "equal", index: "pets_by_name", noun: "name"';
/** Filters of the list that the compiler refuses, and why. The last one has the name of a search's filter. */
const brokenFilters: [rule: string, reason: RegExp][] = [
	[byName.replace('"equal"', '"contains"'), /'"contains"' is not assignable to type '"equal"'/],
	[byName.replace('index: "pets_by_name", ', ""), /Property 'index' is missing/],
	[byName, /compares: "contains"; }' is not assignable to type 'undefined'/],
];

const ofFields: Addition[] = [
	["bench/fill.ts", "categoryId: BigInt(index % 50),", ' breed: "mixed",'],
	["console/src/add/add-form.ts", 'categoryId: "", status: ""', ', breed: "", chip: ""'],
	["console/src/parts/sentences.ts", 'categoryId: "Category", status: "Status"', ', breed: "Breed", chip: "Chip"'],
	["src/files/column-words.ts", "situacion situacao`),\n\t],", "\n\tbreed: [],\n\tchip: [],"],
	[
		"src/store/tables.ts",
		'status: optional(text("status")),',
		'\n\t\t\tbreed: text("breed"),\n\t\t\tchip: optional(int64("chip")),',
	],
	[
		"src/cli/pets.ts",
		'status: fieldOption("status", "its status; none if absent"),',
		'breed: fieldOption("breed", "its breed"), chip: fieldOption("chip", "its chip"),',
	],
];
const handler = `
		async countPets(exchange) {
			createQueryReader(operations.countPets.query)(exchange.query);
			const { counts } = await store.countPets();
			const json = JSON.stringify({ animals: counts.available });
			exchange.header("cache-control", "private, no-cache").vary("Authorization").sendJson(json);
		},`;
const ofOperation: Addition[] = [
	["src/http/pets.ts", "getPet: (exchange) => getPet(parts, exchange),", handler],
	["openapi/code-samples.ts", "codeSamples: Record<OperationName, CodeSample[]> = {", 'countPets: [curl("/count")],'],
	["test/proofs/programs/programs.test.ts", "const expected: Record<OperationName, RegExp> = {", "countPets: /1/,"],
	[
		"test/contract/check-order.test.ts",
		"const good: Record<OperationName, Parts> = {",
		'countPets: { method: "GET", path: "/v1/count" },',
	],
];
const inConsole: Addition[] = [
	["console/src/add/add-panel.tsx", "status: StatusChoice,", "breed: Entry, chip: Entry,"],
	[
		"console/src/edit/fact.tsx",
		"<Status status={pet.status} /> },",
		'breed: { label: "Breed", cell: (pet) => pet.breed }, chip: { label: "Chip", cell: (pet) => String(pet.chip ?? "") },',
	],
	["console/src/parts/route.ts", "find((status) => status === text),", "categoryId: (text) => text ?? undefined,"],
	["console/src/list/list-tools.tsx", "= { status: StatusChips", ", categoryId: () => <></>"],
];
/** The animals of the tests that run in the copy. The compiler names all others, too. */
const inTests: Addition[] = [
	["test/contract/check-order.test.ts", 'text: \'{"name":"a","categoryId":1', ',"breed":"pug"'],
	["test/contract/check-order.test.ts", 'text: \'{"name":"Rex"', ',"breed":"pug"'],
	["test/contract/check-order.test.ts", 'name: "another", categoryId: 1', ', breed: "pug"'],
];
const schemaInDocument: Addition = [
	"openapi/document.ts",
	"Error: ErrorBody",
	", Count: operations.countPets.success.schema",
];

/** The migration of an engine: the columns of the fields, and the index of the filter. */
function migration(integer: string): string {
	const fields = ["breed TEXT NOT NULL DEFAULT 'mixed'", `chip ${integer}`];
	const columns = fields.map((column) => `ALTER TABLE pets ADD COLUMN ${column};\n`);
	return `${columns.join("")}CREATE INDEX pets_by_category_id ON pets (category_id, id);\n`;
}

test("a new field, filter or operation fails the compiler and tests until it has all its places", {
	timeout: proofTestLimitMs, // The test runs the compiler and other tests in a copy.
}, async (context) => {
	const { path, edit, run, refuses, leadsTo, fail, pass } = changedTree(context);
	for (const [rule, reason] of brokenFilters)
		refuses(["src/contract/filters.ts", lastFilter, `\n\tname: { ${rule} },`], reason);
	edit(...inContract);
	run("client/generate.ts"); // This is needed after any change of the contract.
	leadsTo(".", [...ofFields, ...ofOperation]);
	leadsTo("console", inConsole);
	edit(schemaInDocument, ...inTests);
	await fail([
		["test/store/schema.test.ts", "the declared tables are those of the schema"],
		["test/store/schema.test.ts", "each filter has its index"],
		["test/contract/openapi.test.ts", "openapi.json is up to date: npm run openapi writes it"],
		["test/client/client.test.ts", "the client has the contract's types, and a method for every operation"],
	]);
	for (const [engine, integer] of Object.entries({ sqlite: "INTEGER", postgres: "BIGINT" }))
		writeFileSync(join(path, `src/store/migrations/${engine}-999.sql`), migration(integer));
	run("openapi/document.ts");
	const places = ["test/store/schema.test.ts", "test/contract/check-order.test.ts"];
	await pass(...places, "test/proofs/house/new-field.ts", "test/proofs/house/new-filter.ts");
});
