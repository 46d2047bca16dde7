// Faults of keys, each with the quickest test that detects it.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/keys/issue.ts",
		from: "newSecret(key, now(), lifetimeMs)",
		to: "newSecret(key, now(), undefined)",
		tests: ["test/contract/credentials.test.ts"],
	},
	{
		file: "src/keys/key-check.ts",
		from: " || ageMs > trustedForMs",
		to: "",
		tests: ["src/keys/key-check.test.ts"],
	},
	{
		file: "src/store/sqlite/reads.ts",
		from: "absent?.version === now && absent.hash",
		to: "absent?.hash",
		tests: ["test/store/sqlite.test.ts"],
	},
];
