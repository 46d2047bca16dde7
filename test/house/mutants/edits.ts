// Faults in edits by operators.

import type { Faults } from "../mutants.ts";

export const faults: Faults = {
	"test/cli/edits.test.ts": [
		["src/store/migrations/postgres-005.sql", "name SET STATISTICS 0", "name SET STATISTICS 100"],
		["src/cli/maintenance/postgres.ts", "rows[0]?.n_dead_tup === 0n", "rows.length === 1"],
		["src/cli/edits.ts", "? await eraseOrExplain(flags) : undefined", "? void eraseOrExplain : undefined"],
		["src/cli/maintenance/backup.ts", "auditLog ? applyLaterRemovals(draft, auditLog) : copied", "copied"],
		["src/cli/maintenance/later-removals.ts", "if (petId > last) last = petId;", "last;"],
	],
	"test/contract/credentials.test.ts": [["src/http/router.ts", "if (route.isPrivate) exchange.begin();", ""]],
	"test/contract/edits.test.ts": [
		["src/contract/console.ts", 'return action === "rename" || action === "remove";', 'return action === "rename";'],
		["src/store/transactions.ts", "one.name === other.name && one.status === other.status", "one.name === other.name"],
	],
	"test/contract/exports.test.ts": [["src/http/exchange.ts", "socket.resetAndDestroy();", ""]],
	"test/contract/find.test.ts": [["src/http/find.ts", "if (left.aborted) return { pets: [] };", ""]],
	"test/contract/http-postgres.test.ts": [
		["src/store/postgres/transaction.ts", 'forUpdate: "FOR UPDATE"', 'forUpdate: ""'],
	],
	"test/contract/replies.test.ts": [
		["src/store/sqlite/reads.ts", "!latest || dataVersion !== latestDataVersion", "!latest"],
	],
	"test/store/categories.test.ts": [
		[
			"src/store/categories.ts",
			"yield { text: `SELECT name FROM settings",
			"if (changes.length > 99) yield { text: `SELECT name FROM settings",
		],
	],
	"test/store/edits.test.ts": [
		["src/store/postgres/reads.ts", "lastEdit: BigInt(lastEdit)", "lastEdit: 0n"],
		["src/store/idempotency.ts", " || isRemoved", ""],
		[
			"src/store/postgres/transaction.ts",
			"UPDATE counters SET last_id = last_id + 1 WHERE name = 'edits' RETURNING last_id",
			"SELECT coalesce(max(id), 0) + 1 AS last_id FROM edits",
		],
	],
	"test/store/engines-postgres.test.ts": [
		["src/cli/maintenance/postgres.ts", "if (!(await isPlainPostgres(pool))) return false;", ""],
	],
	"test/store/erase.test.ts": [
		["src/cli/maintenance/sqlite.ts", "await packPages(database, found);", "await packPages(database, []);"],
		["src/store/sqlite/file.ts", "secure_delete = ON", "secure_delete = OFF"],
	],
	"test/store/faults-postgres.test.ts": [
		["src/store/postgres/connections.ts", "if (warning !== undefined) throw", "if (!client) throw"],
	],
	"test/store/find.test.ts": [["src/store/find.ts", 'isDescending ? "<" : ">"', 'isDescending ? "<=" : ">="']],
	"test/store/histories-postgres.test.ts": [
		["src/store/postgres/reads.ts", "extract(epoch FROM pg_postmaster_start_time())", "0"],
	],
	"test/store/lost-file.test.ts": [["src/store/sqlite/open.ts", "=== opened) return;", "!== undefined) return;"]],
};
