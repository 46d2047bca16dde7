// Faults in the embedded store, its batches, its files and its commands, each with the quickest test that detects it.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/store/sqlite/writer-thread.ts",
		from: `const outcome = attempt(file, files, () => waitForLock(() => commit(batch), batch.lockWaitMs));
		// Checked after the commit and before it is acknowledged.
		const cause = findLoss(file, files);`,
		to: `const cause = findLoss(file, files);
		const outcome = attempt(file, files, () => waitForLock(() => commit(batch), batch.lockWaitMs));`,
		tests: ["test/store/fault-points.test.ts"],
	},
	{
		file: "src/store/sqlite/open.ts",
		from: 'name === "createPets",',
		to: "name.length > 0,",
		tests: ["test/store/background.test.ts"],
	},
	{
		file: "src/store/sqlite/errors.ts",
		from: "Math.min(busyTimeoutMs, Math.max(waitMinMs, maxMs))",
		to: "busyTimeoutMs",
		tests: ["test/store/background.test.ts"],
	},
	{
		file: "src/store/write-watch.ts",
		from: 'if (state === "stopped") return;',
		to: "",
		tests: ["src/store/write-watch.test.ts"],
	},
	{
		file: "src/store/sqlite/errors.ts",
		from: "return /^SQLITE_IOERR_(DIR_)?FSYNC/.test(code);",
		to: 'return code === "none";',
		tests: ["test/store/commit.test.ts"],
	},
	{
		file: "src/store/sqlite/creates.ts",
		from: "firstId + BigInt(added.length)",
		to: "firstId + BigInt(place)",
		tests: ["test/store/sqlite.test.ts"],
	},
	{
		file: "src/store/sqlite/writer-thread.ts",
		from: "const path = files.findLostPath();",
		to: "const path = undefined as string | undefined;",
		tests: ["test/store/lost-file.test.ts"],
	},
	{
		file: "src/store/sqlite/draft.ts",
		from: 'sync(draft, "r+");\n\tput(draft, file);',
		to: "link(draft, file);",
		tests: ["test/store/file.test.ts"],
	},
	{
		file: "src/store/sqlite/file.ts",
		from: "if (hasWal(file) && !existsSync(file)) {",
		to: "if (false) {",
		tests: ["test/store/backup.test.ts"],
	},
	{
		file: "src/cli/maintenance/backup.ts",
		from: "\t\tverifyPages(copy, file);\n",
		to: "",
		tests: ["test/store/backup.test.ts"],
	},
	{
		file: "src/cli/maintenance/backup.ts",
		from: 'const unlock = doesExist ? lockFile(file, "restore") : () => {};',
		to: "const unlock = () => {};",
		tests: ["test/store/backup.test.ts"],
	},
];
