// Faults in src/contract, and the tests that see them.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [];
