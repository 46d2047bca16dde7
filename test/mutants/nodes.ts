// Faults of nodes that share a store, which the tests must see.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/store/sqlite/commands.ts",
		from: "if (unless && anySecret",
		to: "if (false && anySecret",
		tests: ["test/store-sqlite.test.ts"],
	},
	{
		file: "src/store/postgres/keys.ts",
		from: "await client.query(lockProvisioning);",
		to: "",
		tests: ["test/store-postgres.test.ts"],
	},
];
