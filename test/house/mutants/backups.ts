// Faults in the service's own backups and in the start of large stores, each with the quickest test that detects it.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/store/scheduled-backups.ts",
		from: "filter((name) => name !== made)",
		to: "filter(() => true)",
		tests: ["test/store/scheduled-backups.test.ts"],
	},
	{
		file: "src/store/sqlite/file.ts",
		from: "else readEnds(database);",
		to: "",
		tests: ["test/store/large-store.test.ts"],
	},
];
