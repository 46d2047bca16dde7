// Faults in the client, each with a test that detects it without a server.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "client/src/index.ts",
		from: "if (error instanceof AnimalStoreError) error.idempotencyKey = idempotencyKey;",
		to: "",
		tests: ["test/client/calls.test.ts"],
	},
];
