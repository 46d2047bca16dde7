// Locks the file of a SQLite store while a command works, and erases former names from it.

import { existsSync, realpathSync } from "node:fs";
import { pathOf } from "../../store/open.ts";
import { draftName, dropDraft, link } from "../../store/sqlite/draft.ts";
import { waitForLock } from "../../store/sqlite/errors.ts";
import {
	connect,
	openSqliteWriter,
	removeLeftWal,
	toRefusal,
	truncateWal,
	verifyPages,
} from "../../store/sqlite/file.ts";
import { rowsOf } from "../../store/sqlite/transaction.ts";
import { StoreRefused } from "../../store/store.ts";
import type { Row, Statement } from "../../store/tables.ts";

/**
 * Locks the file through a second hard link. If SQLite opened the file by its first name, it would replay the WAL.
 * @param work what needs the lock, for the message @returns a function that releases the lock
 */
export function lockFile(file: string, work: string): () => void {
	const name = `${draftName(file)}-locked`;
	dropDraft(name);
	link(file, name);
	const database = connect(name, { timeout: 0 });
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
 * Must be called before this process opens the store. @param work what the service must be stopped for
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

/** A store in a transaction, during which nobody else can write to it. */
export interface LockedStore {
	/** @throws StoreRefused, StorageUnavailable */
	query(statement: Statement): Promise<Row[]>;
	/** SQL that reads the id that was last given to an animal. */
	lastId: string;
	/** Used after a copy: the next animal gets an id above `lastId`, and the next edit an id above those of all edits. */
	keepIds(lastId: bigint): Statement[];
}

/**
 * Opens one of the two stores of a copy. The source must exist and is verified. Commits when the work resolves.
 * @throws StoreRefused, and the error of the work; then the store stays as it was, and a new one stays empty
 */
export async function inTransaction<Result>(
	databaseUrl: string,
	role: "source" | "target",
	work: (store: LockedStore) => Promise<Result>,
): Promise<Result> {
	const file = pathOf(databaseUrl);
	const { database } = openSqliteWriter(file, { mustExist: role === "source" });
	function run<Outcome>(step: () => Outcome): Outcome {
		try {
			return step();
		} catch (error) {
			throw toRefusal(file, error);
		}
	}
	try {
		run(() => waitForLock(() => database.exec("BEGIN IMMEDIATE")));
		if (role === "source") run(() => verifyPages(database, file));
		const result = await work({
			query: async (statement) => run(() => rowsOf(database, statement)),
			lastId: "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'pets'",
			keepIds: (lastId) => [
				{ text: "DELETE FROM sqlite_sequence WHERE name = 'pets'" },
				{ text: "INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', $1)", values: [lastId] },
			],
		});
		run(() => database.exec("COMMIT"));
		return result;
	} finally {
		database.close();
		removeLeftWal(file);
	}
}

/**
 * Empties the WAL, and rewrites the file without its unused space. SQLite leaves copies of rows there when it splits or
 * merges pages.
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
