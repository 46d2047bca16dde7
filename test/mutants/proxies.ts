// Faults in what counts of the headers of proxies, and the tests that see them.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/http/forwarded.ts",
		from: "if (!isTrustedProxy(",
		to: "if (false && !isTrustedProxy(",
		tests: ["src/http/forwarded.test.ts"],
	},
	{
		file: "src/http/traffic.ts",
		from: "isTrustedProxy?.(address) ?",
		to: "false ?",
		tests: ["test/connections.test.ts"],
	},
];
