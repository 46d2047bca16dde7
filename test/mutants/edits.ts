// Faults in what operators do to animals, each with the quickest tests that see it.

import type { Mutant } from "../mutant.ts";

const edits = ["test/edits.test.ts"];
const command = ["test/edits-command.test.ts"];

export const mutants: Mutant[] = [
	{
		file: "src/store/postgres/edits.ts",
		from: "rows[0]?.n_dead_tup === 0n",
		to: "rows.length === 1",
		tests: command,
	},
	{
		file: "src/store/kept-pages.ts",
		from: "hasMore && (upTo === undefined || pets.at(-1)?.id === upTo)",
		to: "hasMore && upTo !== 2n ** 63n - 1n",
		tests: ["src/store/kept-pages.test.ts"],
	},
	{
		file: "src/store/kept-pages.ts",
		from: "return hasMore && ",
		to: "return ",
		tests: ["src/store/kept-pages.test.ts"],
	},
	{ file: "src/store/sqlite/open.ts", from: "found?.lastEdit === edit", to: "found", tests: edits },
	{ file: "src/store/sqlite/open.ts", from: "editShown = undefined;", to: "", tests: edits },
	{ file: "src/store/postgres/reads.ts", from: "one && one.lastEdit === shown", to: "one", tests: edits },
	{
		file: "src/store/sqlite/erase.ts",
		from: "return countInFile(file, bytes) > expected;",
		to: "return false;",
		tests: edits,
	},
	{
		file: "src/store/sqlite/erase.ts",
		from: "kept = Math.min(end, bytes.length - 1);",
		to: "kept = 0;",
		tests: ["src/store/sqlite/erase.test.ts"],
	},
	{
		file: "src/store/sqlite/erase.ts",
		from: 'if (!isLogCopied(database, "TRUNCATE")) return false;',
		to: "",
		tests: edits,
	},
	{
		file: "src/store/edits.ts",
		from: 'return action === "remove" && (outcome === "edited" || outcome === "removed");',
		to: "return false;",
		tests: edits,
	},
	{
		file: "src/store/edits.ts",
		from: 'return outcome === "edited" || outcome === "unchanged";',
		to: "return false;",
		tests: edits,
	},
	{
		file: "src/store/idempotency.ts",
		from: " || fingerprint === erasedFingerprint",
		to: "",
		tests: edits,
	},
	{
		file: "src/store/sqlite/edit-command.ts",
		from: 'edit.action === "remove" && key',
		to: "false && key",
		tests: edits,
	},
	{
		file: "src/store/sqlite/edit-command.ts",
		from: "(edit.status ?? null) === fromStatus",
		to: "false",
		tests: edits,
	},
	{
		file: "src/store/sqlite/open.ts",
		from: "snapshot.readNow(() => reads.countPets(after, limit))",
		to: "snapshot.read(() => reads.countPets(after, limit))",
		tests: edits,
	},
	{
		file: "src/store/postgres/edits.ts",
		from: "UPDATE counters SET last_id = last_id + 1 WHERE name = 'edits' RETURNING last_id",
		to: "SELECT coalesce(max(id), 0) + 1 AS last_id FROM edits",
		tests: edits,
	},
	{
		file: "src/store/postgres/edits.ts",
		from: 'if (action === "remove" && key)',
		to: "if (false && key)",
		tests: edits,
	},
	{
		file: "src/store/postgres/rows.ts",
		from: "(SELECT coalesce(max(id), 0) FROM edits)",
		to: "0",
		tests: edits,
	},
	{
		file: "src/store/postgres/reads.ts",
		from: "toPetCount(groups, lastEdit)",
		to: "toPetCount(groups, 0n)",
		tests: edits,
	},
	{
		file: "src/ops/activity.ts",
		from: 'petId > countedTo || action === "rename"',
		to: 'action === "rename"',
		tests: edits,
	},
	{
		file: "src/ops/activity.ts",
		from: "await applyEdits(lastEdit);",
		to: "",
		tests: edits,
	},
	{
		file: "src/store/sqlite/backup.ts",
		from: "auditLog ? applyLaterRemovals(draft, auditLog) : copied",
		to: "copied",
		tests: command,
	},
	{
		file: "src/store/sqlite/later-removals.ts",
		from: "if (petId > last) last = petId;",
		to: "last;",
		tests: command,
	},
	{
		file: "src/store/sqlite/later-removals.ts",
		from: "if (isContinued)",
		to: "if (log)",
		tests: command,
	},
	{
		file: "src/store/sqlite/later-removals.ts",
		from: 'database.exec("VACUUM");',
		to: "",
		tests: command,
	},
];
