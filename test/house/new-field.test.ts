// Adds two fields to the contract, a text and an int64. The compiler names every place that shows or accepts animals,
// and then the test of the schema fails. Once the columns are declared and migrated, the fields work everywhere.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { slowMs } from "../support/until.ts";
import { type Addition, changedTree } from "./changed-tree.ts";

const inService: Addition[] = [
	["console/src/fault-text.ts", 'categoryId: "Category", status: "Status"', ', breed: "Breed", chip: "Chip"'],
	["src/files/columns.ts", "situacion situacao`),\n\t],", "\n\tbreed: [],\n\tchip: [],"],
	[
		"src/store/tables.ts",
		'status: optional(text("status")),',
		'\n\t\t\tbreed: optional(text("breed")),\n\t\t\tchip: optional(int64("chip")),',
	],
	[
		"src/cli/pets.ts",
		'status: fieldOption("status", "its status; none if absent"),',
		'breed: fieldOption("breed", "its breed"), chip: fieldOption("chip", "its chip"),',
	],
];
const inConsole: Addition[] = [
	["console/src/add-form.ts", 'categoryId: "", status: ""', ', breed: "", chip: ""'],
	["console/src/add-panel.tsx", "status: StatusChoice,", "breed: Entry, chip: Entry,"],
	[
		"console/src/pet-table.tsx",
		"<Status status={pet.status} /> },",
		'breed: { label: "Breed", cell: (pet) => pet.breed }, chip: { label: "Chip", cell: (pet) => String(pet.chip ?? "") },',
	],
];

test("a new field fails the compiler, then a test, until its column is declared and migrated", {
	timeout: slowMs, // The test runs the compiler and other tests in a copy.
}, async (context) => {
	const { path, edit, run, leadsTo, fails, passes } = changedTree(context);
	const breed = 'breed: Type.Optional(Type.String({ description: "a string of 1 to 50 characters", maxLength: 50 }))';
	const chip = 'chip: Type.Optional(Int64("the number of its chip"))';
	edit(["src/contract/pet.ts", "status: Type.Optional(PetStatus),", `\n\t${breed},\n\t${chip},`]);
	run("client/generate.ts"); // This is needed after any change of the contract.
	leadsTo(".", inService);
	leadsTo("console", inConsole);
	await fails("test/store/schema.test.ts", "the declared tables are those of the schema");
	for (const [engine, integer] of Object.entries({ sqlite: "INTEGER", postgres: "BIGINT" })) {
		const columns = ["breed TEXT", `chip ${integer}`].map((column) => `ALTER TABLE pets ADD COLUMN ${column};\n`);
		writeFileSync(join(path, `src/store/migrations/${engine}-999.sql`), columns.join(""));
	}
	await passes("test/store/schema.test.ts", "test/house/new-field.ts");
});
