// Faults in edits by operators, each with the quickest test that detects it.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/http/find.ts",
		from: "if (left.aborted) return { pets: [] };",
		to: "",
		tests: ["test/contract/find.test.ts"],
	},
	{
		file: "src/store/find.ts",
		from: 'isDescending ? "<" : ">"',
		to: 'isDescending ? "<=" : ">="',
		tests: ["test/store/find.test.ts"],
	},
	{
		file: "src/store/categories.ts",
		from: "yield { text: `SELECT name FROM settings",
		to: "if (changes.length > 99) yield { text: `SELECT name FROM settings",
		tests: ["test/store/categories.test.ts"],
	},
	{
		file: "src/contract/console.ts",
		from: 'return action === "rename" || action === "remove";',
		to: 'return action === "rename";',
		tests: ["test/contract/edits.test.ts"],
	},
	{
		file: "src/http/exports.ts",
		from: "return row && isWorking(row, now()) ? row : undefined;",
		to: "return row;",
		tests: ["test/contract/exports.test.ts"],
	},
	{
		file: "src/http/exchange.ts",
		from: "socket.resetAndDestroy();",
		to: "",
		tests: ["test/contract/exports.test.ts"],
	},
	{
		file: "src/store/transactions.ts",
		from: "one.name === other.name && one.status === other.status",
		to: "one.name === other.name",
		tests: ["test/contract/edits.test.ts"],
	},
	{
		file: "src/http/app.ts",
		from: "if (route.isPrivate) exchange.begin();",
		to: "",
		tests: ["test/contract/edits.test.ts"],
	},
	{
		file: "src/store/postgres/transaction.ts",
		from: 'forUpdate: "FOR UPDATE"',
		to: 'forUpdate: ""',
		tests: ["test/contract/http-postgres.test.ts"],
	},
	{
		file: "src/store/migrations/postgres-005.sql",
		from: "name SET STATISTICS 0",
		to: "name SET STATISTICS 100",
		tests: ["test/cli/edits.test.ts"],
	},
	{
		file: "src/cli/maintenance/erase-postgres.ts",
		from: "rows[0]?.n_dead_tup === 0n",
		to: "rows.length === 1",
		tests: ["test/cli/edits.test.ts"],
	},
	{
		file: "src/store/sqlite/reads.ts",
		from: "!latest || dataVersion !== latestDataVersion",
		to: "!latest",
		tests: ["test/contract/replies.test.ts"],
	},
	{
		file: "src/store/postgres/reads.ts",
		from: "lastEdit: BigInt(lastEdit)",
		to: "lastEdit: 0n",
		tests: ["test/store/edits.test.ts"],
	},
	{
		file: "src/store/postgres/reads.ts",
		from: "extract(epoch FROM pg_postmaster_start_time())",
		to: "0",
		tests: ["test/store/histories-postgres.test.ts"],
	},
	{
		file: "src/store/postgres/connections.ts",
		from: "if (warning !== undefined) throw",
		to: "if (!client) throw",
		tests: ["test/store/faults-postgres.test.ts"],
	},
	{
		file: "src/store/sqlite/reads.ts",
		from: "if (isReplaced()) throw",
		to: "if (!isReplaced) throw",
		tests: ["test/store/lost-file.test.ts"],
	},
	{
		file: "src/cli/maintenance/erase-sqlite.ts",
		from: "await packPages(database, found);",
		to: "await packPages(database, []);",
		tests: ["test/store/erase.test.ts"],
	},
	{
		file: "src/store/sqlite/file.ts",
		from: "secure_delete = ON",
		to: "secure_delete = OFF",
		tests: ["test/store/erase.test.ts"],
	},
	{
		file: "src/cli/edits.ts",
		from: "? await eraseOrExplain(databaseUrl) : undefined",
		to: "? void eraseOrExplain : undefined",
		tests: ["test/cli/edits.test.ts"],
	},
	{
		file: "src/cli/maintenance/erase-postgres.ts",
		from: "if (!(await isPlainPostgres(pool))) return false;",
		to: "",
		tests: ["test/store/engines-postgres.test.ts"],
	},
	{
		file: "src/store/idempotency.ts",
		from: " || isRemoved",
		to: "",
		tests: ["test/store/edits.test.ts"],
	},
	{
		file: "src/store/postgres/transaction.ts",
		from: "UPDATE counters SET last_id = last_id + 1 WHERE name = 'edits' RETURNING last_id",
		to: "SELECT coalesce(max(id), 0) + 1 AS last_id FROM edits",
		tests: ["test/store/edits.test.ts"],
	},
	{
		file: "src/cli/maintenance/backup.ts",
		from: "auditLog ? applyLaterRemovals(draft, auditLog) : copied",
		to: "copied",
		tests: ["test/cli/edits.test.ts"],
	},
	{
		file: "src/cli/maintenance/later-removals.ts",
		from: "if (petId > last) last = petId;",
		to: "last;",
		tests: ["test/cli/edits.test.ts"],
	},
];
