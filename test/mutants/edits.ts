// Faults in what operators do to animals, each with the quickest tests that see it.

import type { Mutant } from "../mutant.ts";

const edits = ["test/edits.test.ts"];
const command = ["test/edits-command.test.ts"];
const erasing = ["test/erase.test.ts"];
const erase = "src/store/sqlite/erase.ts";

export const mutants: Mutant[] = [
	...["name", "fingerprint"].map((column) => ({
		file: "src/store/migrations/postgres-005.sql",
		from: `${column} SET STATISTICS 0`,
		to: `${column} SET STATISTICS 100`,
		tests: command,
	})),
	{
		file: "src/store/postgres/erase.ts",
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
	{ file: erase, from: "if (!(await emptyLog(database))) return false;", to: "", tests: erasing },
	{ file: erase, from: "await packPages(database, found);", to: "await packPages(database, []);", tests: erasing },
	{ file: erase, from: 'waitForLock(database, () => database.exec("VACUUM"));', to: "", tests: erasing },
	{ file: erase, from: "hasContent(page, skipPointers(page, pointersEnd), rowsBegin)", to: "false", tests: erasing },
	{ file: erase, from: "if (last === null) return true;", to: "if (last === null) return false;", tests: erasing },
	{ file: erase, from: '"x".repeat(room)', to: '"x"', tests: erasing },
	{ file: "src/store/sqlite/file.ts", from: "secure_delete = ON", to: "secure_delete = OFF", tests: erasing },
	{
		file: "src/store/sqlite/verify.ts",
		from: "count(`edits WHERE ${isToErase}`)",
		to: "count(`edits WHERE NOT ${isToErase}`)",
		tests: erasing,
	},
	{ file: "src/cli/edits.ts", from: "await tryToErase(databaseUrl)", to: "Boolean(tryToErase)", tests: command },
	{
		file: "src/store/postgres/erase.ts",
		from: "if (!(await isPlainPostgres(pool))) return false;",
		to: "",
		tests: ["test/engines-postgres.test.ts"],
	},
	{
		file: "src/store/idempotency.ts",
		from: " || fingerprint === erasedFingerprint",
		to: "",
		tests: edits,
	},
	{
		file: "src/store/sqlite/edit-command.ts",
		from: 'if (edit.action === "remove") eraseKeys',
		to: "if (!edit) eraseKeys",
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
		from: 'if (action === "remove") await client.query(eraseKeys',
		to: "if (!action) await client.query(eraseKeys",
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
