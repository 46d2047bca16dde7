// Faults in the service's own backups, in the verification of files, in the start of large stores and in the size of the
// log, each with the quickest tests that see it.

import type { Mutant } from "../mutant.ts";

const scheduled = ["test/scheduled-backups.test.ts"];
const verify = ["test/verify.test.ts"];
const largeStore = ["test/large-store.test.ts"];

const schedule = "src/store/scheduled-backups.ts";
const verification = "src/store/sqlite/verify.ts";
const file = "src/store/sqlite/file.ts";

export const mutants: Mutant[] = [
	{
		file: "src/service.ts",
		from: "backups?.status().lastBackupAtMs ?? 0",
		to: "backups?.status().lastBackupAtMs",
		tests: ["test/scheduled-backups.test.ts"],
	},
	{ file: schedule, from: "if (ageMs >= everyMs ||", to: "if (ageMs > everyMs ||", tests: scheduled },
	{ file: schedule, from: " || (ageMs < 0 && !isStart)", to: "", tests: scheduled },
	{ file: schedule, from: "filter((name) => name !== made)", to: "filter(() => true)", tests: scheduled },
	{ file: schedule, from: "others.length + 1 - keep", to: "others.length - keep", tests: scheduled },
	{
		file: schedule,
		from: "const isBackupName = (name: string) => backupName.test(name);",
		to: 'const isBackupName = (name: string) => name.includes("animal-store");',
		tests: scheduled,
	},
	{ file: schedule, from: "status.lastFailedAtMs = now();", to: "", tests: scheduled },
	{ file: schedule, from: "stopped.abort();\n\t\t\tawait running;", to: "await running;", tests: scheduled },
	{ file: schedule, from: 'signal.addEventListener("abort", end, { once: true });', to: "", tests: scheduled },
	{ file: "src/config.ts", from: 'name !== "NODE_OPTIONS" && ', to: "", tests: scheduled },
	{ file: "src/config.ts", from: "if (env[name] !== undefined && !backups)", to: "if (false)", tests: scheduled },
	{ file: verification, from: "OR status NOT IN (", to: "AND status NOT IN (", tests: verify },
	{ file: verification, from: "length(name) NOT BETWEEN 1 AND 255", to: "length(name) > 255", tests: verify },
	{ file: verification, from: "if (isClosed) endWalMode(copy);", to: "if (isClosed) void 0;", tests: verify },
	{ file: verification, from: "rmSync(folder, { recursive: true });", to: "void rmSync;", tests: verify },
	{
		file: verification,
		from: "if (problems.length > 0) return { ...report, problems };",
		to: "problems.length = 0;",
		tests: verify,
	},
	{ file: file, from: "else readEnds(database);", to: "", tests: largeStore },
	{
		file: "src/store/sqlite/writer-thread.ts",
		from: "attempt(files, () => truncateLog(database));",
		to: "attempt(files, () => truncateLog);",
		tests: ["test/store-log.test.ts"],
	},
];
