// Faults in the use of headers of proxies, each with the quickest test that detects it.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/http/proxies.ts",
		from: "findLast((one) => !isTrustedProxy(one))",
		to: "at(-1)",
		tests: ["test/operations/reply-log.test.ts"],
	},
	{
		file: "src/http/traffic.ts",
		from: "isTrustedProxy?.(address) ?",
		to: "false ?",
		tests: ["test/contract/connections.test.ts"],
	},
];
