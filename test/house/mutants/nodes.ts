// Faults of nodes that share a store, which the tests must see.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/store/sqlite/commands.ts",
		from: "if (unless && anySecret",
		to: "if (false && anySecret",
		tests: ["test/store/sqlite.test.ts"],
	},
	{
		file: "src/store/postgres/keys.ts",
		from: "await client.query(lockProvisioning);",
		to: "",
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
		file: "src/store/leases.ts",
		from: "WHERE lease.holder = excluded.holder\n\tOR ",
		to: "WHERE ",
		tests: ["test/store/sqlite.test.ts"],
	},
	{
		file: "src/store/scheduled-backups.ts",
		from: "if (newestIn(folder) !== newestAtMs) return;",
		to: "",
		tests: ["test/store/scheduled-backups.test.ts"],
	},
	{
		file: "src/http/shared-port.ts",
		from: "other.store !== mine &&",
		to: "false &&",
		tests: ["test/store/nodes.test.ts"],
	},
];
