// The database file: made in one step, recognised before it is opened for writing, migrated, and refused with one
// sentence when it is not ours.

import { hash } from "node:crypto";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, realpathSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { StoreRefused } from "../store.ts";
import { dropDraft, dropStaleDrafts, makeFolder, newDraft, publish } from "./draft.ts";
import { identityOf, type OpenFiles, openFiles } from "./identity.ts";

/** `PETS` in the header of every file of ours (SQLite file format, offset 68). */
const applicationId = 0x50455453;
const migrationsFolder = new URL("../migrations/", import.meta.url);
const migrations = readdirSync(migrationsFolder)
	.filter((name) => /^sqlite-\d+\.sql$/.test(name))
	.sort();

export interface FileOptions {
	/** Whether every page is read first, to refuse a damaged file. */
	isVerified?: boolean;
	/** Whether a missing file is refused instead of made. */
	mustExist?: boolean;
}

/**
 * Opens the one writing connection. A missing file is made complete beside its place and then linked there, so that a
 * crash never leaves half a store. Every commit waits for the disk: `synchronous` has to follow `journal_mode`.
 * @throws StoreRefused
 */
export function openSqliteWriter(
	file: string,
	{ isVerified = false, mustExist = false }: FileOptions = {},
): { database: Database.Database; files: OpenFiles; isNew: boolean } {
	try {
		dropStaleDrafts(file);
		const isFound = existsSync(file);
		if (isFound) recognise(file, "r+");
		else if (mustExist) throw missing(file);
		const isNew = !isFound && create(file);
		const identity = identityOf(file);
		if (!isNew) inspect(file, isVerified);
		const database = openForWriting(file);
		const files = openFiles(file, identity);
		if (files.lost() === undefined) return { database, files, isNew };
		database.close();
		throw new StoreRefused(`${file} was replaced while it was opened: start again`);
	} catch (error) {
		throw refusal(file, error);
	}
}

function openForWriting(file: string): Database.Database {
	const database = new Database(file);
	try {
		database.pragma("journal_mode = WAL");
		database.pragma("synchronous = FULL");
		database.pragma("busy_timeout = 5000");
		migrate(database, file);
		return database;
	} catch (error) {
		database.close();
		throw error;
	}
}

/** There is no store here, and the caller makes none. */
export function missing(file: string): StoreRefused {
	return new StoreRefused(
		`there is no store at ${file}: fix DATABASE_URL, or make one with animal-store serve, keys create or restore`,
	);
}

/** Pages of the file that the reading connection keeps in memory. */
const readCacheKiB = 64 * 1024;

/** Opens a reading connection to a file that a writer has opened. */
export function openSqliteReader(file: string): Database.Database {
	const database = new Database(file, { readonly: true, fileMustExist: true });
	database.pragma("busy_timeout = 5000");
	database.pragma(`cache_size = -${readCacheKiB}`);
	return database;
}

/** @returns false where another process made the file meanwhile: then it is there, and complete. */
function create(file: string): boolean {
	// Where another process has just made the file, it was there before its log.
	if (hasLog(file) && !existsSync(file)) {
		throw new StoreRefused(
			`${file} is missing and its log ${file}-wal is there: ` +
				"restore a backup, or remove the log to begin an empty store",
		);
	}
	makeFolder(file);
	const draft = newDraft(file);
	try {
		const database = new Database(draft);
		database.pragma(`application_id = ${applicationId}`);
		migrate(database, file);
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

/** Whether a log with something in it stands beside the file. */
function hasLog(file: string): boolean {
	const real = existsSync(file) ? realpathSync(file) : file;
	return (statSync(`${real}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * The journal mode in the header (offset 18) until a writer opens the file for the first time; a store in use says 2.
 */
const neverOpened = 1;

/**
 * Looks at the first bytes only, and writes nothing. A backup has never been opened, so a log beside it is that of
 * another store, which SQLite would replay over it.
 * @throws StoreRefused
 */
export function recognise(file: string, flags: "r" | "r+"): void {
	if (statSync(file).isDirectory()) throw new StoreRefused(`${file} is a directory: let DATABASE_URL name a file`);
	// Before the header: a process that opens the file for the first time writes the header first.
	const isBesideLog = hasLog(file);
	const header = Buffer.alloc(100);
	const descriptor = openSync(file, flags);
	try {
		readSync(descriptor, header);
	} finally {
		closeSync(descriptor);
	}
	if (header.toString("latin1", 0, 15) !== "SQLite format 3") {
		throw new StoreRefused(
			`${file} is not an animal store, or is damaged: restore a backup, or let DATABASE_URL name another file`,
		);
	}
	if (header.readUInt32BE(68) !== applicationId) {
		throw new StoreRefused(`${file} belongs to another program: let DATABASE_URL name another file`);
	}
	refuseNewer(header.readUInt32BE(60), file);
	if (header.readUInt8(18) === neverOpened && isBesideLog) {
		throw new StoreRefused(
			`${file} is a backup beside the log of another store, ${realpathSync(file)}-wal: ` +
				`move the backup to another name, then run animal-store restore BACKUP --to ${file}`,
		);
	}
}

function refuseNewer(version: number, file: string): void {
	if (version <= migrations.length) return;
	throw new StoreRefused(
		`${file} was written by a newer animal-store (schema ${version}, this one knows ${migrations.length}): ` +
			"upgrade this installation",
	);
}

/** Through a connection that cannot write, so that a damaged file stays as it is. */
function inspect(file: string, isVerified: boolean): void {
	const database = new Database(file, { readonly: true });
	try {
		verifySchema(database, file);
		if (isVerified) verifyPages(database, file);
	} finally {
		database.close();
	}
}

/**
 * Compares the schema with that of the migrations. It has no other check: SQLite takes any text that parses.
 * @throws StoreRefused
 */
export function verifySchema(database: Database.Database, file: string): void {
	const version = versionOf(database);
	refuseNewer(version, file); // The header of a file with a log may be older than the store.
	if (version === 0 || !isComplete(database, version)) throw damaged(file);
}

/** Reads every page. @throws StoreRefused */
export function verifyPages(database: Database.Database, file: string): void {
	if (database.pragma("integrity_check(1)", { simple: true }) !== "ok") throw damaged(file);
}

/** Whether all that the migrations make is there, word for word. */
function isComplete(database: Database.Database, version: number): boolean {
	const expected = new Database(":memory:");
	applyMigrations(expected, version);
	const schemaOf = (of: Database.Database) =>
		of.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL").raw().all().map(String);
	const found = new Set(schemaOf(database));
	const isComplete = schemaOf(expected).every((entry) => found.has(entry));
	expected.close();
	return isComplete;
}

function damaged(file: string): StoreRefused {
	return new StoreRefused(`${file} is damaged: restore a backup, or let DATABASE_URL name another file`);
}

function migrate(database: Database.Database, file: string): void {
	refuseNewer(versionOf(database), file); // Another process may have upgraded it meanwhile.
	database.transaction(() => applyMigrations(database, migrations.length)).immediate();
}

function applyMigrations(database: Database.Database, to: number): void {
	database.function("sha256", { deterministic: true }, (text: string) => hash("sha256", text)); // for migration 002
	for (const [index, name] of migrations.slice(0, to).entries()) {
		if (index < versionOf(database)) continue;
		database.exec(readFileSync(new URL(name, migrationsFolder), "utf8"));
		database.pragma(`user_version = ${index + 1}`);
	}
}

function versionOf(database: Database.Database): number {
	return Number(database.pragma("user_version", { simple: true }));
}

const unwritable = new Set(["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "SQLITE_READONLY", "SQLITE_CANTOPEN"]);

/** Why a file cannot be opened or written, as one sentence that says what to do. */
export function refusal(file: string, error: unknown): StoreRefused {
	if (error instanceof StoreRefused) return error;
	const { code = "", message } = error as NodeJS.ErrnoException;
	if (unwritable.has(code)) {
		return new StoreRefused(
			`cannot write ${file} or its folder: check the permissions, or let DATABASE_URL name another place`,
		);
	}
	if (code === "ENOSPC" || code === "SQLITE_FULL") {
		return new StoreRefused(`there is no room for ${file}: make room, or name another place`);
	}
	if (code.startsWith("SQLITE_BUSY")) {
		return new StoreRefused(`${file} is locked by another program: stop it, then start again`);
	}
	if (/^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ)/.test(code)) return damaged(file);
	return new StoreRefused(`cannot open ${file}: ${message}`);
}
