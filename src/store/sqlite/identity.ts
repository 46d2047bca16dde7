// Watches whether the open files of a store are removed or replaced. Data in an unlinked file is lost when the process
// ends, so writes to such a file must not be acknowledged.

import { realpathSync, statSync, writeFileSync } from "node:fs";
import type Database from "better-sqlite3";

/** Device and inode of a file; undefined if there is no file at the path. */
export function identityOf(path: string): string | undefined {
	try {
		const found = statSync(path, { bigint: true, throwIfNoEntry: false });
		return found && `${found.dev} ${found.ino}`;
	} catch {
		return undefined;
	}
}

export type OpenFiles = ReturnType<typeof trackOpenFiles>;

/** Suffix of the file that records a failed sync. When the file's time changes, a sync has failed in some process. */
export const failedSyncSuffix = "-failed-sync";

/** How long to wait until other processes have ended their read transactions on an unlinked WAL. */
const readersMaxMs = 5000;

/** Call this right after the first use of the database. @param identity the file's identity before it was opened */
export function trackOpenFiles(file: string, identity: string | undefined) {
	// SQLite places its WAL and lock file next to the target of a symbolic link.
	const real = realpathSync(file);
	const companions = [`${real}-wal`, `${real}-shm`].map((path) => ({ path, identity: identityOf(path) }));
	const opened = [{ path: file, identity }, ...companions];
	const report = real + failedSyncSuffix;
	const timeOfReport = () => statSync(report, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
	const knownReport = timeOfReport();
	const isReplaced = ({ path, identity }: (typeof opened)[number]) => identityOf(path) !== identity;
	return {
		/** The first path that no longer leads to the file that was opened there. */
		findLostPath: () => opened.find(isReplaced)?.path,
		/**
		 * Moves the content of the WAL into the database file. This saves the content if only the WAL was unlinked, and
		 * keeps the WAL from being replayed over a file that replaced the database. Does nothing if another process has
		 * started a new WAL.
		 */
		checkpointWal(database: Database.Database) {
			if (companions.some((companion) => isReplaced(companion) && identityOf(companion.path) !== undefined)) return;
			try {
				database.pragma(`busy_timeout = ${readersMaxMs}`);
				database.pragma("wal_checkpoint(TRUNCATE)");
			} catch {
				// The content stays in the WAL.
			}
		},
		/** Makes `hasFailedSync` true in all processes that have the store open now. */
		reportFailedSync() {
			try {
				writeFileSync(report, "a sync of this store has failed\n");
			} catch {
				// Even without this report, the kernel tells each process that has the file open about a failed write-back.
			}
		},
		/** Whether a sync has failed, in any process, since this process opened the store. */
		hasFailedSync: () => timeOfReport() !== knownReport,
	};
}
