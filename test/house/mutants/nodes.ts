// Faults of nodes that share a store, each with the quickest test that detects it.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/store/transactions.ts",
		from: "if (found.length > 0) return false;",
		to: "",
		tests: ["test/store/sqlite.test.ts"],
	},
	{
		file: "src/store/transactions.ts",
		from: "settings WHERE name = 'cursor_secret'",
		to: "settings WHERE name = 'none'",
		tests: ["test/store/postgres.test.ts"],
	},
	{
		file: "src/store/sqlite/identity.ts",
		from: "hasFailedSync: () => timeOfReport() !== knownReport",
		to: "hasFailedSync: () => timeOfReport() !== undefined",
		tests: ["test/store/lost-file.test.ts"],
	},
	{
		file: "src/store/sqlite/writer-thread.ts",
		from: "files.hasFailedSync() ?",
		to: "false ?",
		tests: ["test/store/lost-file.test.ts"],
	},
	{
		file: "src/store/transactions.ts",
		from: "WHERE leases.holder = excluded.holder\n\t\tOR ",
		to: "WHERE ",
		tests: ["test/store/sqlite.test.ts"],
	},
	{
		file: "src/store/scheduled-backups.ts",
		from: " || own.newestMs(now()) !== lastAtMs) return;",
		to: ") return;",
		tests: ["test/store/scheduled-backups.test.ts"],
	},
	{
		file: "src/http/shared-port.ts",
		from: "other.store !== mine &&",
		to: "false &&",
		tests: ["test/store/nodes.test.ts"],
	},
];
