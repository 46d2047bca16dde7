// Faults of pages and their links, in both directions and both engines, that the tests must see.

import type { Mutant } from "../mutant.ts";

const sqlite = ["test/store-sqlite.test.ts"];
const postgres = ["test/store-postgres.test.ts"];

const store: Mutant[] = [
	{ file: "src/store/pet-page.ts", from: "pets.reverse()", to: "pets", tests: sqlite },
	{ file: "src/store/pet-page.ts", from: "if (hasMore) pets.pop();", to: "if (hasMore) pets.shift();", tests: sqlite },
	{
		file: "src/store/sqlite/open.ts",
		from: '"id <= ? ORDER BY id DESC"',
		to: '"id < ? ORDER BY id DESC"',
		tests: sqlite,
	},
	{ file: "src/store/sqlite/open.ts", from: '"id <= ? ORDER BY id DESC"', to: '"id <= ? ORDER BY id"', tests: sqlite },
	{
		file: "src/store/kept-pages.ts",
		from: "{ status, after, upTo, limit }: PageQuery)",
		to: "{ status, after, limit }: PageQuery, upTo = 0)",
		tests: ["src/store/kept-pages.test.ts"],
	},
	{
		file: "src/store/postgres/reads.ts",
		from: "status = $1 AND id <= $2 ORDER BY id DESC",
		to: "status = $1 AND id <= $2 ORDER BY id",
		tests: postgres,
	},
	{
		file: "src/store/postgres/reads.ts",
		from: '"id <= $1 ORDER BY id DESC',
		to: '"id < $1 ORDER BY id DESC',
		tests: postgres,
	},
];

const file = "src/http/paging.ts";
const tests = ["test/paging.test.ts"];

const links: Mutant[] = [
	{
		file,
		from: "position = upTo === undefined ? after",
		to: "position = upTo !== 0n ? (upTo ?? after)",
		tests: ["src/http/paging.test.ts"],
	},
	{ file, from: "{ upTo: after }", to: "{ upTo: after - 1n }", tests },
	{ file, from: "after > 0n ?", to: "after >= 0n ?", tests },
	{ file, from: "hasMore && first ?", to: "first ?", tests },
	{ file, from: "first.id - 1n", to: "first.id", tests },
	{ file, from: "upTo < endOfList ?", to: "upTo <= endOfList ?", tests },
	{ file, from: "{ after: upTo }", to: "{ after: upTo + 1n }", tests },
	{ file, from: "write({ upTo: endOfList }, status)", to: "write({ upTo: endOfList }, undefined)", tests },
	{
		file: "src/http/pets.ts",
		from: 'page.hasMore ? "+" : ""',
		to: '""',
		tests: ["test/operations.test.ts"],
	},
];

export const mutants: Mutant[] = [...store, ...links];
