// Faults of the PostgreSQL store, of Idempotency-Keys and of copy, each with the quickest test that detects it.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/store/postgres/connections.ts",
		from: 'client.on("error", () => {});',
		to: "",
		tests: ["test/store/postgres.test.ts"],
	},
	{
		file: "src/store/migrations.ts",
		from: "if (schema === 0 || schema >= schemaMin) return undefined;",
		to: "if (schema <= schemaMax) return undefined;",
		tests: ["test/store/migrations.test.ts"],
	},
	{
		file: "src/store/postgres/open.ts",
		from: "await retry(refuse);",
		to: "",
		tests: ["test/store/engines-postgres.test.ts"],
	},
	{
		file: "src/store/postgres/errors.ts",
		from: 'code === "23505" && table === "idempotency_keys"',
		to: "false",
		tests: ["test/store/postgres.test.ts"],
	},
	{
		file: "src/store/postgres/creates.ts",
		from: "created_at_ms >",
		to: "created_at_ms + 1e15 >",
		tests: ["test/store/postgres.test.ts"],
	},
	{
		file: "src/store/postgres/creates.ts",
		from: "WHEN 0 THEN $1 ELSE 0 END",
		to: "WHEN 0 THEN $1 ELSE $1 END",
		tests: ["test/store/postgres.test.ts"],
	},
	{
		file: "src/store/postgres/creates.ts",
		from: "Math.min(...batch.map(",
		to: "Math.max(...batch.map(",
		tests: ["test/store/postgres.test.ts"],
	},
	{
		file: "src/cli/copy.ts",
		from: "lock = await lockWrites(from);",
		to: "lock = { check: async () => {}, release: async () => {} };",
		tests: ["test/store/copy.test.ts"],
	},
	{
		file: "src/cli/copy.ts",
		from: "source.count !== target.count || source.sum !== target.sum",
		to: "false",
		tests: ["test/store/copy.test.ts"],
	},
	{
		file: "src/cli/copy.ts",
		from: "lastId: (await from.version()).lastId",
		to: "lastId: (await from.rows.readLastPetId()) ?? 0n",
		tests: ["test/store/copy.test.ts"],
	},
];
