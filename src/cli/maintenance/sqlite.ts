// Locks the file of a SQLite store against services or writers while a command works. Erases from the file and its WAL
// the names that edits have replaced. `secure_delete` overwrites a deleted row, but not the copies that SQLite
// leaves in unused space when it moves rows to other pages.

import assert from "node:assert/strict";
import { closeSync, existsSync, openSync, readSync, realpathSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { pathOf } from "../../store/open.ts";
import { draftName, dropDraft, link } from "../../store/sqlite/draft.ts";
import { isFailedSync, toStoreError, waitForLock } from "../../store/sqlite/errors.ts";
import { busyTimeoutMs, openSqliteWriter, removeLeftWal, toRefusal, truncateWal } from "../../store/sqlite/file.ts";
import { StoreRefused } from "../../store/store.ts";
import { isToErase } from "../../store/tables.ts";

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
		throw new StoreRefused(`${file} is in use: stop the service, then ${work}`);
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

/** The columns that contain names, or could confirm a guessed name. */
const columns = { pets: "name", idempotency_keys: "fingerprint" };

/** How long to wait for read transactions of other processes, which need the WAL. */
const readersMaxMs = 5000;
const retryMs = 10;
/** Pages that one transaction clears: it takes a few milliseconds, while others wait for the write lock. */
const batchPages = 50;
const roundsMax = 3;

/**
 * Erases the names that edits have replaced so far, and records the time in the audit log. Clears only the pages whose
 * unused space contains former rows. Other processes may read and write the store; this process must not have it open,
 * because closing a second descriptor of a file releases its locks.
 * @returns false if another process holds a long read transaction, or keeps the write lock
 * @throws StoreRefused, StorageUnavailable
 */
export async function eraseNames(databaseUrl: string, now: () => number): Promise<boolean> {
	const file = pathOf(databaseUrl);
	const { database, files } = openSqliteWriter(file, { mustExist: true });
	const descriptor = openSync(file, "r");
	try {
		const last = database.prepare(`SELECT max(id) FROM edits WHERE ${isToErase}`).pluck().safeIntegers().get();
		if (last === null) return true;
		if (!(await clearUnusedSpace(database, descriptor))) return false;
		const mark = database.prepare(`UPDATE edits SET erased_at_ms = ? WHERE id <= ? AND ${isToErase}`);
		waitForLock(() => mark.run(now(), last));
		return true;
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		if (isFailedSync({ code })) files.reportFailedSync();
		if (code.startsWith("SQLITE_BUSY")) return false;
		throw toStoreError(error);
	} finally {
		database.close();
		closeSync(descriptor);
		removeLeftWal(file);
	}
}

/**
 * Clears the pages whose unused space contains former rows at the start. Pages that other writers leave in this state
 * later need no clearing: they contain no replaced name.
 * @returns whether all these pages were cleared
 */
async function clearUnusedSpace(database: Database.Database, descriptor: number): Promise<boolean> {
	let pages: Set<number> | undefined;
	for (let round = 0; round < roundsMax; round++) {
		if (!(await emptyWal(database))) return false;
		const found = findUsedPages(database, descriptor).filter(({ page }) => pages?.has(page) ?? true);
		// Pages that other writers have freed since then are cleared in the WAL.
		if (found.length === 0) return emptyWal(database);
		pages = new Set(found.map(({ page }) => page));
		await packPages(database, found);
	}
	// Some pages have no row, or none that can grow into all unused space: only VACUUM clears these pages.
	waitForLock(() => database.exec("VACUUM"));
	return emptyWal(database);
}

/** Waits for readers without holding the write lock, so that other writers need not wait. */
async function emptyWal(database: Database.Database): Promise<boolean> {
	const giveUpAtMs = performance.now() + readersMaxMs;
	while (!truncateWal(database)) {
		if (performance.now() >= giveUpAtMs) return false;
		await sleep(retryMs);
	}
	return true;
}

/** A page with former rows in its unused space. */
interface UsedPage {
	table: string;
	column: string;
	page: number;
	/** One of the page's rows; null if the page has none. */
	rowId: bigint | null;
	/** By how many bytes this row can grow in this page. */
	room: number;
}

function findUsedPages(database: Database.Database, descriptor: number): UsedPage[] {
	assert.equal(database.pragma("page_size", { simple: true }), pageBytes);
	const content = Buffer.alloc(pageBytes);
	const query = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'";
	const leaves = database.prepare<[string], number>(query).pluck();
	return Object.entries(columns).flatMap(([table, column]) =>
		leaves.all(table).flatMap((page): UsedPage[] => {
			const length = readSync(descriptor, content, 0, pageBytes, (page - 1) * pageBytes);
			// A new page is only in the WAL.
			const found = length === pageBytes ? findUse(content) : undefined;
			return found ? [{ table, column, page, ...found }] : [];
		}),
	);
}

/** The size of every page. So the first byte of a pointer to a row is less than any printable character. */
const pageBytes = 4096;
/** The first byte of a page that contains rows of a table (SQLite file format, section 1.6). */
const tableLeaf = 13;

/** @returns undefined if nothing is in the unused space of the page: between pointers and rows, or between rows */
function findUse(page: Buffer): Pick<UsedPage, "rowId" | "room"> | undefined {
	if (page[0] !== tableLeaf) return undefined;
	const rows = page.readUInt16BE(3);
	const pointersEnd = 8 + 2 * rows;
	const rowsBegin = page.readUInt16BE(5);
	let isUsed = hasContent(page, skipPointers(page, pointersEnd), rowsBegin);
	let free = rowsBegin - pointersEnd + page.readUInt8(7);
	let before = 0;
	for (let at = page.readUInt16BE(1); at > before && at + 4 <= pageBytes; at = page.readUInt16BE(at)) {
		const length = page.readUInt16BE(at + 2);
		isUsed ||= hasContent(page, at + 4, at + length);
		free += length;
		before = at;
	}
	if (!isUsed) return undefined;
	// Takes the row at the highest offset: the lowest row adjoins the unused space.
	const last = Math.max(0, ...Array.from({ length: rows }, (_, index) => page.readUInt16BE(8 + 2 * index)));
	if (last === 0) return { rowId: null, room: 0 };
	const [payload, rowIdAt] = readVarint(page, last);
	const [rowId] = readVarint(page, rowIdAt);
	// The lengths may take two more bytes; a longer row would continue in another page.
	return { rowId, room: Math.max(1, Math.min(free - 2, pageBytes - 35 - Number(payload) - 1)) };
}

/** Pointers of former rows remain after the pointers of the rows. No text looks like a series of pointers. */
function skipPointers(page: Buffer, from: number): number {
	let at = from;
	while (at + 2 <= pageBytes && page.readUInt16BE(at) > 0 && page.readUInt16BE(at) < pageBytes) at += 2;
	return at;
}

const zeros = Buffer.alloc(pageBytes);
const hasContent = (page: Buffer, from: number, to: number) =>
	!page.subarray(from, to).equals(zeros.subarray(0, Math.max(0, to - from)));

function readVarint(page: Buffer, at: number): [value: bigint, end: number] {
	let value = 0n;
	for (let index = at; index < at + 8; index++) {
		const byte = page[index] ?? 0;
		value = (value << 7n) | BigInt(byte & 0x7f);
		if (byte < 0x80) return [value, index + 1];
	}
	return [BigInt.asIntN(64, (value << 8n) | BigInt(page[at + 8] ?? 0)), at + 9];
}

/**
 * A row that grows into all unused space makes SQLite pack its page, which clears the rest; then the row shrinks again,
 * and `secure_delete` clears the space that the row leaves.
 */
async function packPages(database: Database.Database, pages: UsedPage[]): Promise<void> {
	const pack = database.transaction((batch: UsedPage[]) => {
		for (const { table, column, rowId, room } of batch) {
			const value = database.prepare(`SELECT ${column} FROM ${table} WHERE rowid = ?`).pluck().get(rowId);
			if (value === undefined) continue; // The row was removed since.
			const write = database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`);
			write.run(value + "x".repeat(room), rowId);
			write.run(value, rowId);
		}
	}).immediate;
	for (let start = 0; start < pages.length; start += batchPages) {
		waitForLock(() => pack(pages.slice(start, start + batchPages)));
		await sleep(retryMs); // Lets others write.
	}
}
