// Locks on the file of a SQLite store, which keep out services or writers while a command works.

import { existsSync, realpathSync } from "node:fs";
import Database from "better-sqlite3";
import { pathOf } from "../../store/open.ts";
import { draftName, dropDraft, link } from "../../store/sqlite/draft.ts";
import { busyTimeoutMs, toRefusal } from "../../store/sqlite/file.ts";
import { StoreRefused } from "../../store/store.ts";

/**
 * Locks the file against services, through a second hard link: under the file's own name, SQLite would replay its log.
 * @param work that needs the lock, for the message
 * @returns a function that releases the lock
 */
export function lockFile(file: string, work: string): () => void {
	const name = `${draftName(file)}-locked`;
	dropDraft(name);
	link(file, name);
	const database = new Database(name, { timeout: 0 });
	const unlock = () => {
		database.close();
		dropDraft(name);
	};
	try {
		database.pragma("locking_mode = EXCLUSIVE");
		database.exec("BEGIN EXCLUSIVE");
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		// A file that is not a database cannot be in use by a service.
		if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return unlock;
		unlock();
		throw code.startsWith("SQLITE_BUSY")
			? new StoreRefused(`${file} is in use: stop the service, then ${work}`)
			: error;
	}
	return unlock;
}

/** See work.ts. */
export async function refuseOpenStore(databaseUrl: string, work: string): Promise<void> {
	const file = pathOf(databaseUrl);
	try {
		if (existsSync(file)) lockFile(realpathSync(file), work)();
	} catch (error) {
		throw toRefusal(file, error);
	}
}

/** While it is held, nobody writes. */
export interface WriteLock {
	/** @throws StoreRefused if the lock was lost */
	check(): Promise<void>;
	release(): Promise<void>;
}

/** See work.ts. */
export async function lockWrites(databaseUrl: string): Promise<WriteLock> {
	const file = pathOf(databaseUrl);
	const database = new Database(file, { timeout: busyTimeoutMs });
	try {
		database.exec("BEGIN IMMEDIATE");
	} catch (error) {
		database.close();
		throw toRefusal(file, error);
	}
	return { check: async () => {}, release: async () => void database.close() };
}
