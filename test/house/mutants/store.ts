// Faults in the embedded store, its batches, files, commands and backups, and in nodes that share a store.

import type { Faults } from "../mutants.ts";

export const faults: Faults = {
	"src/store/write-watch.test.ts": [["src/store/write-watch.ts", 'if (state === "stopped") return;', ""]],
	"test/store/background.test.ts": [
		["src/store/sqlite/open.ts", 'name === "createPets",', "name.length > 0,"],
		["src/store/sqlite/errors.ts", "Math.min(busyTimeoutMs, Math.max(waitMinMs, maxMs))", "busyTimeoutMs"],
	],
	"test/store/backup.test.ts": [
		["src/store/sqlite/file.ts", "if (hasWal(file) && !existsSync(file)) {", "if (false) {"],
		["src/cli/maintenance/backup.ts", "\tverifyPages(copy, file);\n", ""],
		[
			"src/cli/maintenance/backup.ts",
			'const unlock = doesExist ? lockFile(file, "restore") : () => {};',
			"const unlock = () => {};",
		],
		[
			"src/store/migrations.ts",
			"if (schema === 0 || schema >= schemaMin) return undefined;",
			"if (schema <= schemaMax) return undefined;",
		],
	],
	"test/store/fault-points.test.ts": [
		[
			"src/store/sqlite/writer-thread.ts",
			`const outcome = attempt(file, files, () => waitForLock(() => commit(batch), batch.lockWaitMs));
		// Checked after the commit and before it is acknowledged.
		const cause = findLoss(file, files);`,
			`const cause = findLoss(file, files);
		const outcome = attempt(file, files, () => waitForLock(() => commit(batch), batch.lockWaitMs));`,
		],
	],
	"test/store/faults.test.ts": [
		["src/store/sqlite/errors.ts", "return /^SQLITE_IOERR_(DIR_)?FSYNC/.test(code);", 'return code === "none";'],
	],
	"test/store/file.test.ts": [
		["src/store/sqlite/draft.ts", 'sync(draft, "r+");\n\tput(draft, file);', "link(draft, file);"],
	],
	"test/store/lost-file.test.ts": [
		[
			"src/store/sqlite/writer-thread.ts",
			"const path = files.findLostPath();",
			"const path = undefined as string | undefined;",
		],
		[
			"src/store/sqlite/identity.ts",
			"hasFailedSync: () => timeOfReport() !== knownReport",
			"hasFailedSync: () => timeOfReport() !== undefined",
		],
		["src/store/sqlite/writer-thread.ts", "files.hasFailedSync() ?", "false ?"],
	],
	"test/store/nodes.test.ts": [["src/http/shared-port.ts", "other.store !== mine &&", "false &&"]],
	"test/store/postgres.test.ts": [
		["src/store/transactions.ts", "settings WHERE name = 'cursor_secret'", "settings WHERE name = 'none'"],
	],
	"test/store/scheduled-backups.test.ts": [
		[
			"src/store/scheduled-backups.ts",
			"identityOf(file) !== place && secretOfBackup(file)?.equals(cursorSecret) === true",
			"true",
		],
		["src/store/scheduled-backups.ts", "isPast(name) && ", ""],
		[
			"src/store/scheduled-backups.ts",
			"[...names.filter((one) => one <= made), ...names.filter((one) => one > made)]",
			"names",
		],
		["src/store/scheduled-backups.ts", " || own.newestMs(now()) !== lastAtMs) return;", ") return;"],
	],
	"test/store/sqlite.test.ts": [
		["src/store/idempotency.ts", "firstId + BigInt(added.length)", "firstId + BigInt(place)"],
		["src/store/transactions.ts", "if (found.length > 0) return false;", ""],
		["src/store/transactions.ts", "WHERE leases.holder = excluded.holder\n\t\tOR ", "WHERE "],
	],
	"test/store/verify.test.ts": [["src/store/sqlite/file.ts", "else readEnds(database);", ""]],
};
