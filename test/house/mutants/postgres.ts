// Faults in the PostgreSQL store, its connections, Idempotency-Keys and copy.

import type { Faults } from "../mutants.ts";

export const faults: Faults = {
	"test/store/copy.test.ts": [
		["src/cli/copy.ts", "lock = await lockWrites(from);", "lock = { check: async () => {}, release: async () => {} };"],
		["src/cli/copy.ts", "source.count !== target.count || source.sum !== target.sum", "false"],
		["src/cli/copy.ts", "lastId: (await from.version()).lastId", "lastId: (await from.rows.readLastPetId()) ?? 0n"],
	],
	"test/store/engines-postgres.test.ts": [["src/store/postgres/open.ts", "await retry(refuse);", ""]],
	"test/store/histories-postgres.test.ts": [
		["src/store/postgres/reads.ts", "CASE WHEN pg_is_in_recovery() THEN '' ELSE", "CASE WHEN false THEN '' ELSE"],
	],
	"test/store/postgres.test.ts": [
		["src/store/postgres/connections.ts", 'client.on("error", () => {});', ""],
		["src/store/postgres/errors.ts", 'code === "23505" && table === "idempotency_keys"', "false"],
		["src/store/postgres/creates.ts", "created_at_ms >", "created_at_ms + 1e15 >"],
		["src/store/postgres/creates.ts", "WHEN 0 THEN $1 ELSE 0 END", "WHEN 0 THEN $1 ELSE $1 END"],
		["src/store/postgres/creates.ts", "Math.min(...batch.map(", "Math.max(...batch.map("],
	],
};
