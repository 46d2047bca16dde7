// The database file: created atomically, checked by its header and schema before it is opened for writing, and
// migrated. A file that is not an animal store is rejected with one sentence.

import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import type { OpenOptions } from "../engine.ts";
import { readApplied, readMigrations, writeApplied } from "../migrations.ts";
import { StoreRefused } from "../store.ts";
import { dropDraft, dropStaleDrafts, newDraft, publish } from "./draft.ts";
import { identityOf, type OpenFiles, trackOpenFiles } from "./identity.ts";

/** `PETS` in the header of every animal store (SQLite file format, offset 68). */
export const applicationId = 0x50455453;
const migrations = readMigrations("sqlite");

/** The WAL is cut to this size. It is larger only while another process holds a long read transaction. */
export const walMaxBytes = 16 * 1024 * 1024;
export const busyTimeoutMs = 5000;

export const { schemaMax } = migrations;

export type FileOptions = Pick<OpenOptions, "mustExist">;

/**
 * Opens the only writing connection. A missing file is created as a draft, which then gets the file's name, so a crash
 * never leaves half a store. `synchronous` is set after `journal_mode`, so that every commit waits for the disk sync.
 * @throws StoreRefused
 */
export function openSqliteWriter(
	file: string,
	{ mustExist = false }: FileOptions = {},
): { database: Database.Database; files: OpenFiles; isNew: boolean } {
	try {
		dropStaleDrafts(file);
		const isFound = existsSync(file);
		const hadWal = hasWal(file);
		if (isFound) verifyHeader(file, "r+");
		else if (mustExist) throw missingStoreError(file);
		const isNew = !isFound && create(file);
		const identity = identityOf(file);
		if (!isNew) verifyClosed(file);
		const { database, files } = openForWriting(file, identity);
		// A killed process may have left unsynced writes in the WAL. They must be on disk before any reply shows them.
		if (hadWal) truncateWal(database);
		return { database, files, isNew };
	} catch (error) {
		throw toRefusal(file, error);
	}
}

/** Opens a connection that `using` closes. The file's schema cannot call functions with side effects. */
export function connect(file: string, options?: Database.Options): Database.Database & Disposable {
	const database = new Database(file, options);
	database.pragma("trusted_schema = OFF"); // The driver itself turns on SQLite's defensive mode.
	return Object.assign(database, { [Symbol.dispose]: () => void database.close() });
}

function openForWriting(file: string, identity: string | undefined) {
	const database = connect(file, { timeout: busyTimeoutMs });
	try {
		database.pragma("journal_mode = WAL");
		database.pragma("synchronous = FULL");
		database.pragma(`journal_size_limit = ${walMaxBytes}`);
		database.pragma("secure_delete = ON"); // Overwrites removed names; copies in unused space stay until VACUUM.
		migrate(database);
		database.pragma("busy_timeout = 0"); // From here on, `waitForLock` waits.
		const files = trackOpenFiles(file, identity);
		if (files.findLostPath() === undefined) return { database, files };
		throw new StoreRefused(`${file} was replaced while it was opened: start again`);
	} catch (error) {
		database.close();
		throw error;
	}
}

export function missingStoreError(file: string): StoreRefused {
	return new StoreRefused(
		`there is no store at ${file}: fix DATABASE_URL, or create one with animal-store serve, restore or keys create`,
	);
}

/** @returns false if another process has created the file in the meantime. That file is complete. */
function create(file: string): boolean {
	// The WAL is checked first: when another process creates the store, the file exists before its WAL.
	if (hasWal(file) && !existsSync(file)) {
		throw new StoreRefused(
			`${file} is missing, but its WAL ${file}-wal exists: ` +
				"restore a backup, or remove the WAL to start with an empty store",
		);
	}
	const draft = newDraft(file);
	try {
		const database = connect(draft);
		database.pragma(`application_id = ${applicationId}`);
		migrate(database);
		database.close();
		publish(draft, file);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
		return false;
	} finally {
		dropDraft(draft);
	}
}

/**
 * Moves the WAL into the file and empties the WAL. Does nothing while another connection reads from the WAL or writes.
 * @param database a writing connection
 * @returns whether the WAL is empty
 * @throws SQLite's error
 */
export function truncateWal(database: Database.Database): boolean {
	const [{ busy }] = database.pragma("wal_checkpoint(TRUNCATE)") as [{ busy: number }];
	return busy === 0;
}

const closeTries = 5;
const closePauseMaxMs = 10;
const cell = new Int32Array(new SharedArrayBuffer(4));

/**
 * Removes a WAL that is left after this process has closed the store. The last connection that closes removes the WAL,
 * but if several close at the same time, none is the last. Does nothing while another process has the store open.
 */
export function removeLeftWal(file: string): void {
	for (let tries = 0; tries < closeTries && existsSync(walOf(file)); tries++) {
		Atomics.wait(cell, 0, 0, performance.now() % closePauseMaxMs); // The pause differs between processes.
		const database = connect(file, { timeout: 0 });
		try {
			versionOf(database); // This read opens the WAL.
		} catch {
			// Another process has a lock: the next try checks for the WAL again.
		}
		database.close();
	}
}

/** Whether the file has a write-ahead log (WAL) that is not empty. */
function hasWal(file: string): boolean {
	return bytesOfWal(file) > 0;
}

export function bytesOfWal(file: string): number {
	return statSync(walOf(file), { throwIfNoEntry: false })?.size ?? 0;
}

const walOf = (file: string) => `${existsSync(file) ? realpathSync(file) : file}-wal`;

/** The journal mode in the header (offset 18) of a file that no writer has opened yet. The first writer makes it 2. */
const neverOpened = 1;

/**
 * Reads only the header and writes nothing. A backup was never opened, so a WAL next to it belongs to another store,
 * and SQLite would replay that WAL over the backup.
 * @throws StoreRefused
 */
export function verifyHeader(file: string, flags: "r" | "r+"): void {
	if (statSync(file).isDirectory()) throw new StoreRefused(`${file} is a directory: name a file`);
	// The WAL is checked before the header, because the first process that opens a file writes the header before the WAL.
	const hadWal = hasWal(file);
	const header = readHeader(file, flags);
	if (header.toString("latin1", 0, 15) !== "SQLite format 3") {
		throw new StoreRefused(`${file} is not an animal store, or is damaged: restore a backup, or name another file`);
	}
	if (header.readUInt32BE(68) !== applicationId) {
		throw new StoreRefused(`${file} belongs to another program: name another file`);
	}
	refuseSchema(header.readUInt32BE(60), file);
	if (header.readUInt8(18) === neverOpened && hadWal) {
		throw new StoreRefused(
			`${file} is a backup next to the WAL of another store, ${realpathSync(file)}-wal: ` +
				`move the backup to another name, then run animal-store restore BACKUP --to ${file}`,
		);
	}
}

function readHeader(file: string, flags: "r" | "r+"): Buffer {
	const header = Buffer.alloc(100);
	const descriptor = openSync(file, flags);
	try {
		readSync(descriptor, header);
	} finally {
		closeSync(descriptor);
	}
	return header;
}

export function readCursorSecret(database: Database.Database): unknown {
	return database.prepare("SELECT value FROM settings WHERE name = 'cursor_secret'").pluck().get();
}

/** @throws StoreRefused if this version of the program does not know the schema */
export function refuseSchema(schema: number, file: string): void {
	const problem = migrations.refuse(schema);
	if (problem !== undefined) throw new StoreRefused(`${file} ${problem}`);
}

/** Uses a read-only connection, so that a damaged file is not changed. @throws StoreRefused, and SQLite's error */
function verifyClosed(file: string): void {
	using database = connect(file, { readonly: true });
	verifySchema(database, file);
}

/**
 * Compares the schema with the migrations. No other check covers the schema: SQLite accepts any schema that parses.
 * @throws StoreRefused
 */
export function verifySchema(database: Database.Database, file: string): void {
	refuseSchema(versionOf(database), file); // If there is a WAL, the file's header may be older than the store.
	const { isWhole, foreign } = compareSchema(database);
	if (!isWhole) throw damagedStoreError(file);
	if (foreign !== undefined) throw new StoreRefused(`${file} has ${foreign}`);
}

/** Tables that SQLite and Litestream add. */
const addedTables = /^(sqlite_stat[14]|_litestream_(seq|lock))$/;

/**
 * Compares the entries of the store's schema, with their SQL, to the entries that the migrations create. If a newer
 * version has migrated the store, only the names of the tables are compared.
 * @returns `isWhole`: whether no entry is missing; `foreign`: an entry that should not be there, with the fix
 */
export function compareSchema(database: Database.Database): { isWhole: boolean; foreign?: string | undefined } {
	using expected = connect(":memory:");
	applyMigrations(expected, appliedTo(database));
	const columns = isNewer(database) ? "name" : "type, name, tbl_name, sql";
	const query = `SELECT ${columns} FROM sqlite_schema ${isNewer(database) ? "WHERE type = 'table'" : ""}`;
	const schemaOf = (of: Database.Database) => of.prepare<[], string[]>(query).raw().all();
	const [known, found] = [schemaOf(expected).map(String), schemaOf(database)];
	const isWhole = versionOf(database) > 0 && known.every((entry) => found.map(String).includes(entry));
	const isForeign = (entry: string[]) =>
		!known.includes(String(entry)) && !(entry[0] === "table" && addedTables.test(entry[1] ?? ""));
	const [type = "", name] = (!isNewer(database) && found.find(isForeign)) || [];
	if (name === undefined) return { isWhole };
	const drop = `DROP ${type.toUpperCase()} ${JSON.stringify(name)}`;
	return { isWhole, foreign: `${type === "index" ? "an" : "a"} ${type} that no animal-store makes: ${drop}` };
}

/** Whether a newer version has migrated the store with migrations that this version does not know. */
export const isNewer = (database: Database.Database) => appliedTo(database) > schemaMax;

/** Reads every page. @throws StoreRefused */
export function verifyPages(database: Database.Database, file: string): void {
	if (database.pragma("integrity_check(1)", { simple: true }) !== "ok") throw damagedStoreError(file);
}

function damagedStoreError(file: string): StoreRefused {
	return new StoreRefused(`${file} is damaged: restore a backup, or name another file`);
}

/** Leaves a newer schema unchanged. If this version may not write to it, the first commit is refused. */
export function migrate(database: Database.Database): void {
	database.transaction(() => applyMigrations(database, schemaMax)).immediate();
}

function applyMigrations(database: Database.Database, to: number): void {
	const applied = appliedTo(database);
	for (const { version, sql, oldestWriter, computed } of migrations.after(applied)) {
		if (version > to) break;
		database.exec(sql);
		if (computed) {
			const rows = database.prepare(computed.read).safeIntegers().raw().all() as [bigint, string][];
			const write = database.prepare(computed.write);
			for (const [folded, id] of computed.compute(rows)) write.run({ 1: folded, 2: id });
		}
		database.pragma(`user_version = ${Math.max(versionOf(database), oldestWriter)}`);
	}
	if (applied < to) database.prepare(writeApplied).run({ 1: Buffer.from(String(to)) });
}

/** The number of the last migration that was applied. */
function appliedTo(database: Database.Database): number {
	const hasSettings = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'settings'").get();
	const applied = hasSettings && database.prepare(readApplied).pluck().get();
	return Number(String(applied ?? versionOf(database)));
}

/** A program may write to the store if its `schemaMax` is at least this version of the schema. */
export function versionOf(database: Database.Database): number {
	return Number(database.pragma("user_version", { simple: true }));
}

const unwritable = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "SQLITE_READONLY", "SQLITE_CANTOPEN"]);

export const isDamage = (code: string) => /^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ)/.test(code);

/**
 * If a file cannot be opened or written, converts the error to one sentence with the fix.
 * @param other how the user can choose another file
 */
export function toRefusal(file: string, error: unknown, other = "set DATABASE_URL to another file"): StoreRefused {
	if (error instanceof StoreRefused) return error;
	const { code = "", message } = error as NodeJS.ErrnoException;
	if (unwritable.has(code)) {
		return new StoreRefused(`cannot write ${file} or its folder: check the permissions, or ${other}`);
	}
	if (/^(ENOSPC|SQLITE_FULL|SQLITE_IOERR_SHMSIZE)$/.test(code)) {
		return new StoreRefused(`the disk is too full for ${file}: free some space, or use another disk`);
	}
	if (code.startsWith("SQLITE_BUSY")) {
		return new StoreRefused(`${file} is locked by another program: stop it, then start again`);
	}
	if (isDamage(code)) return damagedStoreError(file);
	return new StoreRefused(`cannot open ${file}: ${message}`);
}
