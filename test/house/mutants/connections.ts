// Faults of the connections to PostgreSQL: standbys, the URL of the server, and TLS.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/store/postgres/reads.ts",
		from: "CASE WHEN pg_is_in_recovery() THEN '' ELSE",
		to: "CASE WHEN false THEN '' ELSE",
		tests: ["test/store/pool-postgres.test.ts"],
	},
];
