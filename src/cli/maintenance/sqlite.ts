// Locks the file of a SQLite store against services or writers while a command works, and erases former names from it.

import { existsSync, realpathSync } from "node:fs";
import Database from "better-sqlite3";
import { pathOf } from "../../store/open.ts";
import { draftName, dropDraft, link } from "../../store/sqlite/draft.ts";
import { waitForLock } from "../../store/sqlite/errors.ts";
import { busyTimeoutMs, openSqliteWriter, removeLeftWal, toRefusal, truncateWal } from "../../store/sqlite/file.ts";
import { StoreRefused } from "../../store/store.ts";

/**
 * Locks the file against services, through a second hard link: under the file's own name, SQLite would replay its WAL.
 * @param work the work that needs the lock, for the message
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
		if (!code.startsWith("SQLITE_BUSY")) throw error;
		throw inUseError(file, work);
	}
	return unlock;
}

/**
 * Must be called before this process opens the store.
 * @param work the work that needs the service to be stopped, for the message
 * @throws StoreRefused if a service has the store open
 */
export async function refuseOpenStore(databaseUrl: string, work: string): Promise<void> {
	const file = pathOf(databaseUrl);
	try {
		if (existsSync(file)) lockFile(realpathSync(file), work)();
	} catch (error) {
		throw toRefusal(file, error);
	}
}

/** While the lock is held, nobody else can write to the store. */
export interface WriteLock {
	/** @throws StoreRefused if the lock was lost */
	check(): Promise<void>;
	release(): Promise<void>;
}

/** Locks a store, which this process may have open, against all present and future writers. @throws StoreRefused */
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

/**
 * Rewrites the file without its unused space, where SQLite leaves copies of rows when it splits or merges pages, and
 * empties the WAL.
 * @throws StoreRefused if another process has the store open
 */
export async function eraseNames(databaseUrl: string): Promise<void> {
	const work = "erase names";
	await refuseOpenStore(databaseUrl, work);
	const file = pathOf(databaseUrl);
	const { database } = openSqliteWriter(file, { mustExist: true });
	try {
		waitForLock(() => database.exec("VACUUM"));
		if (!truncateWal(database)) throw inUseError(file, work);
	} catch (error) {
		throw toRefusal(file, error);
	} finally {
		database.close();
		removeLeftWal(file);
	}
}

const inUseError = (file: string, work: string) =>
	new StoreRefused(`${file} is in use: stop the service, then ${work}`);
