// A new field in the contract alone fails the compiler, which names every place that shows or takes animals, then the
// test of the schema. With its column declared and migrated, it works everywhere.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { copyTree, runTests } from "./mutants.ts";
import { temporaryFolder } from "./service.ts";
import { slowMs } from "./until.ts";

/** Where the compiler leads: the file, what stands there, and what a new field adds after it. */
const placesOf: Record<string, [file: string, after: string, addition: string][]> = {
	".": [
		["src/store/tables.ts", 'status: optional(text("status")),', '\n\t\t\tbreed: optional(text("breed")),'],
		["src/cli/pets.ts", 'status: statusOption("its status; none if absent"),', 'breed: new Option("--breed <breed>"),'],
	],
	console: [
		["console/src/adding.ts", 'categoryId: "", status: ""', ', breed: ""'],
		["console/src/adding.ts", "newPetOf({ name, categoryId, status", ", breed"],
		["console/src/adding.ts", "status: (status || undefined) as PetStatus | undefined,", "breed: breed || undefined,"],
		["console/src/add-panel.tsx", 'categoryId: "Category id", status: "Status"', ', breed: "Breed"'],
		["console/src/add-panel.tsx", "status: StatusChoice,", "breed: Entry,"],
		["console/src/map-columns.tsx", 'categoryId: "Category", status: "Status"', ', breed: "Breed"'],
		[
			"console/src/pet-table.tsx",
			"<Status status={pet.status} /> },",
			'breed: { label: "Breed", cell: (pet) => pet.breed },',
		],
	],
};

test("a new field of the contract fails the compiler, then a test, until its column is declared and migrated", {
	timeout: slowMs, // It runs the compiler and other tests in a copy.
}, async (context) => {
	const tree = copyTree(join(temporaryFolder(context), "tree"));
	const edit = (file: string, after: string, line: string) => {
		const text = readFileSync(join(tree, file), "utf8");
		assert.equal(text.split(after).length, 2, `${file} has this once: ${after}`);
		writeFileSync(join(tree, file), text.replace(after, after + line));
	};
	const run = (...parameters: string[]) => {
		const { status, stdout } = spawnSync(process.execPath, parameters, { cwd: tree, encoding: "utf8" });
		return { status, stdout };
	};
	const typeCheck = (project: string) => run("test/node_modules/typescript/bin/tsc", "-p", project);
	const tests = (...files: string[]) => runTests(tree, files, { environment: {}, limitMs: 200_000 });

	const breed =
		'\n\tbreed: Type.Optional(Type.String({ description: "a string of 1 to 50 characters", maxLength: 50 })),';
	edit("src/contract/pet.ts", "status: Type.Optional(PetStatus),", breed);
	// What is generated from the contract, as after any change of it.
	assert.equal(run("client/generate.ts").status, 0);
	for (const [project, places] of Object.entries(placesOf)) {
		const { stdout } = typeCheck(project);
		for (const [file, after, addition] of places) {
			assert.ok(stdout.includes(`${file}(`), `${file} is named: ${stdout}`);
			edit(file, after, addition);
		}
		const { status, stdout: problems } = typeCheck(project);
		assert.equal(status, 0, problems);
	}
	const { outcome, by } = await tests("test/schema.test.ts");
	assert.equal(outcome, "killed");
	assert.match(by ?? "", /the declared tables are those of the schema/);

	for (const engine of ["sqlite", "postgres"])
		writeFileSync(join(tree, `src/store/migrations/${engine}-999.sql`), "ALTER TABLE pets ADD COLUMN breed TEXT;\n");
	assert.equal((await tests("test/schema.test.ts")).outcome, "survived");
	const { outcome: roundTrip, output } = await tests("test/new-field.ts");
	assert.equal(roundTrip, "survived", output);
});
