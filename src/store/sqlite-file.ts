// The database file: made in one step, recognised before it is opened for writing, migrated, and refused with one
// sentence when it is not ours.

import { hash } from "node:crypto";
import {
	closeSync,
	fsyncSync,
	linkSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	readSync,
	rmSync,
	statSync,
} from "node:fs";
import { dirname } from "node:path";
import { threadId } from "node:worker_threads";
import Database from "better-sqlite3";
import { StoreRefused } from "./store.ts";

/** `PETS` in the header of every file of ours (SQLite file format, offset 68). */
const applicationId = 0x50455453;
const migrationsFolder = new URL("./migrations/", import.meta.url);
const migrations = readdirSync(migrationsFolder)
	.filter((name) => /^sqlite-\d+\.sql$/.test(name))
	.sort();

/**
 * Opens the one writing connection. A missing file is made complete beside its place and then linked there, so that a
 * crash never leaves half a store. Every commit waits for the disk: `synchronous` has to follow `journal_mode`.
 * `isVerified` reads the whole file first.
 * @throws StoreRefused
 */
export function openSqliteWriter(file: string, { isVerified = false } = {}): Database.Database {
	const found = statSync(file, { throwIfNoEntry: false });
	if (found) recognise(file, found.isDirectory());
	else create(file);
	try {
		if (found && isVerified) verify(file);
		const database = new Database(file);
		database.pragma("journal_mode = WAL");
		database.pragma("synchronous = FULL");
		database.pragma("busy_timeout = 5000");
		migrate(database, file);
		return database;
	} catch (error) {
		throw refusal(file, error);
	}
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

function create(file: string): void {
	const draft = `${file}.${process.pid}-${threadId}.new`;
	try {
		mkdirSync(dirname(file), { recursive: true });
	} catch (error) {
		throw refusal(file, error);
	}
	try {
		rmSync(draft, { force: true });
		const database = new Database(draft);
		database.pragma(`application_id = ${applicationId}`);
		migrate(database, file);
		database.close();
		linkSync(draft, file);
		syncFolder(dirname(file));
	} catch (error) {
		// Another process may have made the file meanwhile: then it is there, and complete.
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw refusal(file, error);
	} finally {
		rmSync(draft, { force: true });
	}
}

function syncFolder(folder: string): void {
	if (process.platform === "win32") return;
	const descriptor = openSync(folder, "r");
	fsyncSync(descriptor);
	closeSync(descriptor);
}

/** Looks at the first bytes only, and writes nothing. */
function recognise(file: string, isDirectory: boolean): void {
	if (isDirectory) throw new StoreRefused(`${file} is a directory: let DATABASE_URL name a file`);
	const header = Buffer.alloc(100);
	try {
		const descriptor = openSync(file, "r+");
		readSync(descriptor, header);
		closeSync(descriptor);
	} catch (error) {
		throw refusal(file, error);
	}
	if (header.toString("latin1", 0, 15) !== "SQLite format 3") {
		throw new StoreRefused(
			`${file} is not an animal store, or is damaged: restore a backup, or let DATABASE_URL name another file`,
		);
	}
	const version = header.readUInt32BE(60);
	if (header.readUInt32BE(68) !== applicationId) {
		throw new StoreRefused(`${file} belongs to another program: let DATABASE_URL name another file`);
	}
	refuseNewer(version, file);
}

function refuseNewer(version: number, file: string): void {
	if (version <= migrations.length) return;
	throw new StoreRefused(
		`${file} was written by a newer animal-store (schema ${version}, this one knows ${migrations.length}): upgrade this installation`,
	);
}

/** Reads every page through a connection that cannot write, so that a damaged file stays as it is. */
function verify(file: string): void {
	const database = new Database(file, { readonly: true });
	try {
		const problem = database.pragma("integrity_check(1)", { simple: true });
		if (problem !== "ok") throw damaged(file);
	} finally {
		database.close();
	}
}

function damaged(file: string): StoreRefused {
	return new StoreRefused(`${file} is damaged: restore a backup, or let DATABASE_URL name another file`);
}

function migrate(database: Database.Database, file: string): void {
	const version = () => Number(database.pragma("user_version", { simple: true }));
	database.function("sha256", { deterministic: true }, (text: string) => hash("sha256", text)); // for migration 002
	refuseNewer(version(), file); // The header of a file with a log may be older than the store.
	database
		.transaction(() => {
			for (const [index, name] of migrations.entries()) {
				if (index < version()) continue;
				database.exec(readFileSync(new URL(name, migrationsFolder), "utf8"));
				database.pragma(`user_version = ${index + 1}`);
			}
		})
		.immediate();
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
	if (code.startsWith("SQLITE_BUSY")) {
		return new StoreRefused(`${file} is locked by another program: stop it, then start again`);
	}
	if (/^SQLITE_(NOTADB|CORRUPT|IOERR_SHORT_READ)/.test(code)) return damaged(file);
	return new StoreRefused(`cannot open ${file}: ${message}`);
}
