// Faults in src/contract, and the tests that see them.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{ file: "src/contract/json.ts", from: "2n ** 63n - 1n", to: "2n ** 63n", tests: ["src/contract/contract.test.ts"] },
];
