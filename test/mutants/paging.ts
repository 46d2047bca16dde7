// Faults of pages and their links, in both directions and both engines, that the tests must see.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/store/kept-pages.ts",
		from: "{ status, after, upTo, limit }: PageQuery)",
		to: "{ status, after, limit }: PageQuery, upTo = 0)",
		tests: ["src/store/kept-pages.test.ts"],
	},
	{ file: "src/http/paging.ts", from: "{ upTo: after }", to: "{ upTo: after - 1n }", tests: ["test/paging.test.ts"] },
	{ file: "src/http/paging.ts", from: "first.id - 1n", to: "first.id", tests: ["test/paging.test.ts"] },
	{
		file: "src/http/paging.ts",
		from: "write({ upTo: endOfList }, status)",
		to: "write({ upTo: endOfList }, undefined)",
		tests: ["test/paging.test.ts"],
	},
];
