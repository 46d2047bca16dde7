// Faults of pages and their links, each with the quickest test that detects it.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/http/response-cache.ts",
		from: "now.lastEdit === version.lastEdit &&",
		to: "",
		tests: ["test/contract/replies.test.ts"],
	},
	{
		file: "src/http/response-cache.ts",
		from: "(isSettled || now.lastId === version.lastId)",
		to: "isSettled !== undefined",
		tests: ["test/contract/replies.test.ts"],
	},
	{
		file: "src/http/paging.ts",
		from: "{ upTo: after }",
		to: "{ upTo: after - 1n }",
		tests: ["test/contract/paging.test.ts"],
	},
	{ file: "src/http/paging.ts", from: "ids.first - 1n", to: "ids.first", tests: ["test/contract/paging.test.ts"] },
	{
		file: "src/http/paging.ts",
		from: "cursors.write(position, query)",
		to: "cursors.write(position, {})",
		tests: ["test/contract/paging.test.ts"],
	},
];
