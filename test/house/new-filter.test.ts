// A new filter is declared once. The compiler then leads to its place in the console, and a test leads to its index.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { slowMs } from "../support/until.ts";
import { changedTree } from "./changed-tree.ts";

test("a new filter fails the compiler, then a test, until it has a view and an index", {
	timeout: slowMs, // The test runs the compiler and other tests in a copy.
}, async (context) => {
	const { path, edit, run, leadsTo, fails, passes } = changedTree(context);
	edit([
		"src/contract/operations.ts",
		"export const filters = { status: PetStatus",
		", categoryId: { ...NewPet.properties.categoryId, examples: [1] }",
	]);
	run("client/generate.ts"); // This is needed after any change of the contract.
	leadsTo("console", [
		["console/src/route.ts", "find((status) => status === text),", "categoryId: (text) => text ?? undefined,"],
		["console/src/list-tools.tsx", "= { status: StatusChips", ", categoryId: () => <></>"],
	]);
	await fails("test/store/schema.test.ts", "each filter has its index");
	const index = "CREATE INDEX pets_by_category_id ON pets (category_id, id);\n";
	for (const engine of ["sqlite", "postgres"])
		writeFileSync(join(path, `src/store/migrations/${engine}-999.sql`), index);
	await passes("test/store/schema.test.ts", "test/house/new-filter.ts");
});
