// Erases a name that was removed from a store. `secure_delete` is not enough: when SQLite moves rows between pages, it
// leaves copies of them in unused space. The log has earlier contents of pages, too.

import { openSync, readSync } from "node:fs";
import Database from "better-sqlite3";

/** How long a step waits for other connections. */
const busyTimeoutMs = 5000;
const chunkBytes = 4 * 1024 * 1024;

/**
 * Empties the log, and rewrites the file if it has the name more often than its animals have it. Other processes may
 * have the store open; rewriting delays their writes.
 * @param name absent to rewrite the file in any case
 * @returns false if other connections prevented it
 */
export function eraseName(file: string, name?: string): boolean {
	const database = new Database(file, { fileMustExist: true, timeout: busyTimeoutMs });
	try {
		database.pragma("synchronous = FULL");
		if (!isLogCopied(database, "TRUNCATE")) return false;
		if (name !== undefined && !hasCopies(database, file, name)) return true;
		database.exec("VACUUM");
		return isLogCopied(database, "TRUNCATE");
	} catch (error) {
		if (!/^SQLITE_(BUSY|FULL|IOERR)/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
		return false;
	} finally {
		database.close();
	}
}

/** Compares the file with its animals while no other connection can write. */
function hasCopies(database: Database.Database, file: string, name: string): boolean {
	const containing = database.prepare<[string], string>("SELECT name FROM pets WHERE instr(name, ?) > 0").pluck();
	const bytes = Buffer.from(name);
	const copier = new Database(file, { fileMustExist: true, timeout: busyTimeoutMs });
	try {
		return database
			.transaction(() => {
				if (!isLogCopied(copier, "PASSIVE")) return true;
				let expected = 0;
				for (const other of containing.iterate(name)) expected += countIn(Buffer.from(other), bytes);
				return countInFile(file, bytes) > expected;
			})
			.immediate();
	} finally {
		copier.close();
	}
}

/** Copies the log into the file. @returns whether all of it was copied */
function isLogCopied(database: Database.Database, mode: "PASSIVE" | "TRUNCATE"): boolean {
	const [result] = database.pragma(`wal_checkpoint(${mode})`) as [{ busy: number; log: number; checkpointed: number }];
	return result.busy === 0 && result.log === result.checkpointed;
}

/** Occurrences may overlap. */
function countIn(text: Buffer, bytes: Buffer): number {
	let count = 0;
	for (let at = text.indexOf(bytes); at >= 0; at = text.indexOf(bytes, at + 1)) count++;
	return count;
}

/**
 * How often a file has these bytes. Its descriptor stays open until the process ends: closing it would end all locks of
 * this process on the file (POSIX), and another process that closes the store would remove the log of this one.
 */
export function countInFile(file: string, bytes: Buffer): number {
	const descriptor = openSync(file, "r");
	const buffer = Buffer.alloc(bytes.length - 1 + chunkBytes);
	let count = 0;
	let kept = 0;
	for (;;) {
		const read = readSync(descriptor, buffer, kept, chunkBytes, null);
		if (read === 0) return count;
		const end = kept + read;
		count += countIn(buffer.subarray(0, end), bytes);
		// An occurrence may go on in the next chunk.
		kept = Math.min(end, bytes.length - 1);
		buffer.copyWithin(0, end - kept, end);
	}
}
