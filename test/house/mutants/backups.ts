// Faults in the service's own backups and in the start of large stores, each with the quickest test that detects it.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/store/backup-folder.ts",
		from: "identityOf(file) !== place && secretOfBackup(file)?.equals(cursorSecret) === true",
		to: "true",
		tests: ["test/store/scheduled-backups.test.ts"],
	},
	{
		file: "src/store/backup-folder.ts",
		from: "isPast(name) && ",
		to: "",
		tests: ["test/store/scheduled-backups.test.ts"],
	},
	{
		file: "src/store/backup-folder.ts",
		from: "[...names.filter((one) => one <= made), ...names.filter((one) => one > made)]",
		to: "names",
		tests: ["test/store/scheduled-backups.test.ts"],
	},
	{
		file: "src/store/sqlite/file.ts",
		from: "else readEnds(database);",
		to: "",
		tests: ["test/store/large-store.test.ts"],
	},
];
