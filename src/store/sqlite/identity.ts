// Whether the paths of an open store still name the files that it has open. What is written to a file without a name is
// lost with the process, so nothing may be acknowledged into one.

import { realpathSync, statSync } from "node:fs";
import type Database from "better-sqlite3";

/** Tells files apart; undefined where the path leads to none. */
export function identityOf(path: string): string | undefined {
	try {
		const { dev, ino } = statSync(path, { bigint: true });
		return `${dev} ${ino}`;
	} catch {
		return undefined;
	}
}

export interface OpenFiles {
	/** The first path that no longer names the file that was opened. */
	lost(): string | undefined;
	/**
	 * Moves what only the log holds into the database file: it may still have a name when the log has none, and the log
	 * must not be replayed over a file that took the database's name. Not done where another process has begun a new log.
	 */
	rescue(database: Database.Database): void;
}

interface OpenFile {
	path: string;
	identity: string | undefined;
}

/**
 * To be called right after the database was opened and has read or written.
 * @param identity of the file, taken before it was opened
 */
export function openFiles(file: string, identity: string | undefined): OpenFiles {
	// SQLite keeps its log and its lock file beside the file that a symbolic link leads to.
	const real = realpathSync(file);
	const companions = [`${real}-wal`, `${real}-shm`].map((path): OpenFile => ({ path, identity: identityOf(path) }));
	const opened: OpenFile[] = [{ path: file, identity }, ...companions];
	const isOther = ({ path, identity }: OpenFile) => identityOf(path) !== identity;
	return {
		lost: () => opened.find(isOther)?.path,
		rescue(database) {
			if (companions.some((companion) => isOther(companion) && identityOf(companion.path) !== undefined)) return;
			try {
				database.pragma("wal_checkpoint(TRUNCATE)");
			} catch {
				// What the log holds stays there.
			}
		},
	};
}
