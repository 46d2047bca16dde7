// Faults in the embedded store, its batches, its files and its commands, each with the quickest tests that see it.

import type { Mutant } from "../mutant.ts";

const backup = ["test/backup.test.ts"];
const commit = ["test/commit.test.ts"];
const lostFile = ["test/lost-file.test.ts"];
const storeFile = ["test/store-file.test.ts"];
const storeSqlite = ["test/store-sqlite.test.ts"];

/** Batches of writes and reads. */
const batches: Mutant[] = [
	{
		file: "src/store/group-commit.ts",
		from: "for (const { reject } of batch) reject(error);",
		to: "for (const { reject } of batch.slice(0, -1)) reject(error);",
		tests: ["src/store/group-commit.test.ts"],
	},
	{
		file: "src/store/group-commit.ts",
		from: "results.length !== batch.length",
		to: "false",
		tests: ["src/store/group-commit.test.ts"],
	},
	{
		file: "src/store/group-commit.ts",
		from: "queue.expectedMs > waitMaxMs || ",
		to: "",
		tests: ["src/store/group-commit.test.ts"],
	},
	{
		file: "src/store/group-commit.ts",
		from: "if (isBusy) return expireLater();",
		to: "if (isBusy) return undefined;",
		tests: ["src/store/group-commit.test.ts"],
	},
	{
		file: "src/store/write-watch.ts",
		from: 'if (state === "stopped") return;',
		to: "",
		tests: ["src/store/write-watch.test.ts"],
	},
	{
		file: "src/store/write-watch.ts",
		from: "error instanceof StorageUnavailable",
		to: "true",
		tests: ["src/store/write-watch.test.ts"],
	},
	{
		file: "src/store/group-commit.ts",
		from: "const batchMax = 1000;",
		to: "const batchMax = 1001;",
		tests: ["src/store/group-commit.test.ts"],
	},
	{
		file: "src/store/turn-batch.ts",
		from: "setImmediate(send)",
		to: "queueMicrotask(send)",
		tests: ["src/store/turn-batch.test.ts"],
	},
	{
		file: "src/store/sqlite/open.ts",
		from: ".finally(snapshot.end)",
		to: "",
		tests: commit,
	},
	{
		file: "src/store/sqlite/errors.ts",
		from: "return /^SQLITE_IOERR_(DIR_)?FSYNC/.test(code);",
		to: 'return code === "none";',
		tests: commit,
	},
	{
		file: "src/store/group-commit.ts",
		from: "setImmediate(commitNext);",
		to: "commitNext();",
		tests: ["src/store/group-commit.test.ts"],
	},
	{
		file: "src/store/sqlite/create-batch.ts",
		from: "if (repeat) repeats.set(place, repeat);",
		to: "if (repeat) repeats.set(added.length, repeat);",
		tests: storeSqlite,
	},
	{
		file: "src/store/sqlite/create-batch.ts",
		from: "firstId + BigInt(added.length)",
		to: "firstId + BigInt(place)",
		tests: storeSqlite,
	},
	{
		file: "src/store/sqlite/commands.ts",
		from: "sweep.run(nowMs - idempotencyMs)",
		to: "sweep.run(nowMs - idempotencyMs / 2)",
		tests: storeSqlite,
	},
];

/** Files that are lost while they are open. */
const lost: Mutant[] = [
	{
		file: "src/store/sqlite/writer-thread.ts",
		from: "const path = files.findLostPath();",
		to: "const path = undefined as string | undefined;",
		tests: lostFile,
	},
	{ file: "src/store/sqlite/writer-thread.ts", from: "files.checkpointLog(database);", to: "", tests: lostFile },
	{
		file: "src/store/sqlite/identity.ts",
		from: "[{ path: file, identity }, ...companions]",
		to: "[{ path: file, identity }]",
		tests: lostFile,
	},
	{
		file: "src/store/sqlite/file.ts",
		from: "const files = trackOpenFiles(file, identity);",
		to: "const files = trackOpenFiles(file, identityOf(file));",
		tests: storeFile,
	},
];

/** How files come to be. */
const files: Mutant[] = [
	{
		file: "src/store/sqlite/draft.ts",
		from: 'sync(draft, "r+");\n\tlink(draft, file);',
		to: "link(draft, file);",
		tests: storeFile,
	},
	{
		file: "src/store/sqlite/draft.ts",
		from: 'sync(draft, "r+");\n\trenameSync(draft, file);',
		to: "renameSync(draft, file);",
		tests: backup,
	},
	{
		file: "src/store/sqlite/draft.ts",
		from: "link(draft, file);\n\tsyncFolder(dirname(file));",
		to: "link(draft, file);",
		tests: storeFile,
	},
	{
		file: "src/store/sqlite/draft.ts",
		from: "if (first === undefined) return;",
		to: "if (first !== null) return;",
		tests: storeFile,
	},
	{
		file: "src/store/sqlite/draft.ts",
		from: "const onlyOwner = 0o600;",
		to: "const onlyOwner = 0o644;",
		tests: storeFile,
	},
	{
		file: "src/store/sqlite/draft.ts",
		from: "const onlyOwnerFolder = 0o700;",
		to: "const onlyOwnerFolder = 0o755;",
		tests: storeFile,
	},
	{
		file: "src/store/sqlite/draft.ts",
		from: "return process.kill(pid, 0);",
		to: "return pid === 0;",
		tests: storeFile,
	},
	{ file: "src/store/sqlite/file.ts", from: "\t\tdropStaleDrafts(file);\n", to: "", tests: storeFile },
	{
		file: "src/store/sqlite/file.ts",
		from: "return version > 0 && isComplete(database, version);",
		to: "return version > 0;",
		tests: storeSqlite,
	},
	{
		file: "src/store/sqlite/file.ts",
		from: "if (hasLog(file) && !existsSync(file)) {",
		to: "if (false) {",
		tests: backup,
	},
	{
		file: "src/store/sqlite/file.ts",
		from: "=== neverOpened && isBesideLog",
		to: "=== 99 && isBesideLog",
		tests: backup,
	},
	{
		file: "src/store/sqlite/open.ts",
		from: "if (writer.isNew) onCreate?.(file);",
		to: "onCreate?.(file);",
		tests: storeFile,
	},
	{
		file: "src/cli/keys.ts",
		from: "options: OpenOptions = { mustExist: true }",
		to: "options: OpenOptions = {}",
		tests: storeFile,
	},
	{ file: "src/cli/copy.ts", from: "mustExist: true", to: "mustExist: false", tests: storeFile },
	{ file: "src/store/postgres/pool.ts", from: "if (!hasStore && mustExist)", to: "if (false)", tests: storeFile },
	{ file: "src/cli/export.ts", from: "flush: true", to: "flush: false", tests: ["test/export.test.ts"] },
];

/** Backups and their way back. */
const backups: Mutant[] = [
	{
		file: "src/store/sqlite/backup.ts",
		from: "const animals = await copySnapshot(file, draft, work);",
		to: "const animals = await copySnapshot(file, to, options);",
		tests: backup,
	},
	{ file: "src/store/sqlite/backup.ts", from: "\t\tverifyPages(copy, file);\n", to: "", tests: backup },
	{ file: "src/store/sqlite/backup.ts", from: "\t\t\tdropDraft(draft);\n", to: "", tests: backup },
	{ file: "src/store/sqlite/backup.ts", from: "\t\tdropStaleDrafts(file);\n", to: "", tests: backup },
	{
		file: "src/store/sqlite/backup.ts",
		from: 'copy.pragma("journal_mode = DELETE");',
		to: "",
		tests: backup,
	},
	{
		file: "src/store/sqlite/backup.ts",
		from: "const unlock = doesExist ? lock(file) : () => {};",
		to: "const unlock = () => {};",
		tests: backup,
	},
	{ file: "src/store/sqlite/backup.ts", from: "\t\t\tdropCompanions(file);\n", to: "", tests: backup },
	{
		file: "src/store/sqlite/backup.ts",
		from: "if (doesExist && !force)",
		to: "if (doesExist && force && !force)",
		tests: backup,
	},
	{ file: "src/store/sqlite/backup.ts", from: '\t\tverifyHeader(backup, "r");\n', to: "", tests: backup },
	{
		file: "src/cli/interrupt.ts",
		from: "await work(requested)",
		to: "await work(new AbortController().signal)",
		tests: backup,
	},
];

export const mutants: Mutant[] = [...batches, ...lost, ...files, ...backups];
