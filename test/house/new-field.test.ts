// A new field in the contract fails the compiler, which names every place that shows or accepts animals, and then the
// test of the schema. With its column declared and migrated, it works everywhere.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { slowMs } from "../support/until.ts";
import { type Addition, changedTree } from "./changed-tree.ts";

const inService: Addition[] = [
	["src/files/columns.ts", "disponibilidade situacao`),", "\n\tbreed: [],"],
	["src/store/tables.ts", 'status: optional(text("status")),', '\n\t\t\tbreed: optional(text("breed")),'],
	[
		"src/cli/pets.ts",
		'status: fieldOption("status", "its status; none if absent"),',
		'breed: fieldOption("breed", "its breed"),',
	],
];
const inConsole: Addition[] = [
	["console/src/add-form.ts", 'categoryId: "", status: ""', ', breed: ""'],
	["console/src/add-panel.tsx", 'categoryId: "Category id", status: "Status"', ', breed: "Breed"'],
	["console/src/add-panel.tsx", "status: StatusChoice,", "breed: Entry,"],
	["console/src/map-columns.tsx", 'categoryId: "Category", status: "Status"', ', breed: "Breed"'],
	[
		"console/src/pet-table.tsx",
		"<Status status={pet.status} /> },",
		'breed: { label: "Breed", cell: (pet) => pet.breed },',
	],
];

test("a new field of the contract fails the compiler, then a test, until its column is declared and migrated", {
	timeout: slowMs, // It runs the compiler and other tests in a copy.
}, async (context) => {
	const { path, edit, run, leadsTo, fails, passes } = changedTree(context);
	const breed =
		'\n\tbreed: Type.Optional(Type.String({ description: "a string of 1 to 50 characters", maxLength: 50 })),';
	edit(["src/contract/pet.ts", "status: Type.Optional(PetStatus),", breed]);
	run("client/generate.ts"); // Needed after any change of the contract.
	leadsTo(".", inService);
	leadsTo("console", inConsole);
	await fails("test/store/schema.test.ts", "the declared tables are those of the schema");
	for (const engine of ["sqlite", "postgres"])
		writeFileSync(join(path, `src/store/migrations/${engine}-999.sql`), "ALTER TABLE pets ADD COLUMN breed TEXT;\n");
	await passes("test/store/schema.test.ts", "test/house/new-field.ts");
});
