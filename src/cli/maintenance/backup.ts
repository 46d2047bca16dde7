// Backs up a SQLite store, which may be in use, and restores backups. A backup is a consistent snapshot and appears
// only when it is complete on disk.

import { existsSync, realpathSync, renameSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type Database from "better-sqlite3";
import { dropCompanions, dropDraft, dropStaleDrafts, newDraft, publish } from "../../store/sqlite/draft.ts";
import {
	bytesOfWal,
	connect,
	isNewer,
	missingStoreError,
	toRefusal,
	verifyHeader,
	verifyPages,
	verifySchema,
} from "../../store/sqlite/file.ts";
import { identityOf } from "../../store/sqlite/identity.ts";
import { StoreRefused } from "../../store/store.ts";
import type { LongWork } from "../long-work.ts";
import { lockFile } from "./sqlite.ts";
import { fileOf } from "./work.ts";

export interface RestoreOptions extends LongWork {
	force: boolean;
}

/** The number of pages copied in one tick of the event loop. Between ticks, a backup can be interrupted. */
const pagesPerTurn = 2000;

/**
 * Writes a snapshot of the store to a new file, without blocking writers. The backup is a store that DATABASE_URL can
 * name.
 * @returns the number of animals in it
 * @throws StoreRefused, and the signal's reason; then no backup exists
 */
export async function backupStore(databaseUrl: string, to: string, work: LongWork): Promise<number> {
	const file = fileOf(databaseUrl, "pg_dump or pg_basebackup");
	if (!existsSync(file)) throw missingStoreError(file);
	if (!statSync(dirname(to), { throwIfNoEntry: false })?.isDirectory())
		throw new StoreRefused(`cannot write ${to}: its folder does not exist`);
	if (existsSync(to)) throw new StoreRefused(`${to} already exists: name a new file`);
	return withDraft(to, async (draft) => {
		const refuse = (bytes: number) => refuseFullDisk(dirname(to), file, bytes);
		refuse(statSync(file).size + bytesOfWal(file));
		const animals = await copySnapshot(file, draft, {
			...work,
			onProgress(progress) {
				// Checked again, because other data may fill the disk. The WAL, for example, grows until the copy is complete.
				if (progress.total > 0) refuse((progress.total - progress.done) * pageBytes);
				work.onProgress?.(progress);
			},
		});
		publish(draft, to);
		return animals;
	});
}

const mebi = 2 ** 20;
const pageBytes = 4096;
/** On the store's own disk, a backup leaves this much space free, for new animals and the WAL. */
const keptFreeBytes = 64 * mebi;

/** @param bytes how much is still to be written @throws StoreRefused if the folder has no room for it */
function refuseFullDisk(folder: string, file: string, bytes: number): void {
	const { bavail, bsize } = statfsSync(folder);
	const reserve = statSync(folder).dev === statSync(file).dev ? keptFreeBytes : 0;
	const [free, needed] = [bavail * bsize, bytes + reserve] as const;
	if (free >= needed) return;
	const [has, needs] = [free, needed].map((bytes) => Math.ceil(bytes / mebi));
	throw new StoreRefused(`${folder} has ${has} MiB free, and a backup needs ${needs}: free some, or use another disk`);
}

/**
 * Creates a store from a backup; with `force`, replaces an existing store. No service may have that store open. A crash
 * leaves the old store or the new one. If the old WAL is still next to the new store, the next start is refused.
 * @returns the number of animals in the new store
 * @throws StoreRefused, and the signal's reason
 */
export async function restoreStore(backup: string, databaseUrl: string, options: RestoreOptions): Promise<number> {
	const to = fileOf(databaseUrl, "pg_restore, or name a file with --to");
	const { force } = options;
	if (!existsSync(backup)) throw new StoreRefused(`there is no backup at ${backup}: name an existing file`);
	const doesExist = existsSync(to);
	if (doesExist && statSync(to).isDirectory()) throw new StoreRefused(`${to} is a directory: name a file`);
	if (doesExist && identityOf(backup) === identityOf(to))
		throw new StoreRefused(`${backup} is both the backup and the target: rename it, and restore from the new name`);
	if (doesExist && !force)
		throw new StoreRefused(`${to} already exists: name another file with --to, or replace it with --force`);
	const file = doesExist ? realpathSync(to) : to;
	return withDraft(file, async (draft) => {
		verifyHeader(backup, "r");
		const unlock = doesExist ? lockFile(file, "restore") : () => {};
		try {
			const animals = await copySnapshot(backup, draft, options);
			refuseNewer(draft, backup);
			publish(draft, file, doesExist ? renameSync : undefined);
			dropCompanions(file);
			return animals;
		} finally {
			unlock();
		}
	});
}

/** Refuses a backup of a newer version, because this version may not know everything in it. @throws StoreRefused */
function refuseNewer(copy: string, backup: string): void {
	using database = connect(copy, { readonly: true });
	if (isNewer(database))
		throw new StoreRefused(`${backup} was migrated by a newer animal-store: restore it with that version`);
}

async function withDraft(file: string, work: (draft: string) => Promise<number>): Promise<number> {
	try {
		dropStaleDrafts(file);
		const draft = newDraft(file);
		try {
			return await work(draft);
		} finally {
			dropDraft(draft);
		}
	} catch (error) {
		throw (error as Error).name === "AbortError" ? error : toRefusal(file, error, "name another file");
	}
}

/** The number of animals, their largest id, and the last id that was assigned. */
type Content = { animals: number; lastId: number | null; givenId: number | null };

/** @param file the copied file; errors name it @throws StoreRefused */
function readContent(database: Database.Database, file: string): Content {
	const query = "SELECT count(*) animals, max(id) lastId, (SELECT max(seq) FROM sqlite_sequence) givenId FROM pets";
	try {
		return database.prepare<[], Content>(query).get() as Content;
	} catch (error) {
		throw toRefusal(file, error);
	}
}

/**
 * Copies in one read transaction, so that concurrent writes are not included. Verifies that the copy is sound and
 * complete.
 */
async function copySnapshot(file: string, draft: string, work: LongWork): Promise<number> {
	const copied = await copyTo(draft, file, work);
	work.onProgress?.({ what: "checking the copy", done: 0, total: 0 });
	using copy = connect(draft);
	copy.pragma("locking_mode = EXCLUSIVE"); // No other process has the copy open, so its WAL needs no shared memory.
	copy.pragma("journal_mode = DELETE"); // `verifyHeader` detects a backup by this mode.
	verifySchema(copy, file);
	verifyPages(copy, file);
	work.signal.throwIfAborted();
	if (!isDeepStrictEqual(readContent(copy, file), copied))
		throw new StoreRefused(`the copy of ${file} is not complete: try again`);
	return copied.animals;
}

async function copyTo(draft: string, file: string, { signal, onProgress = () => {} }: LongWork): Promise<Content> {
	using source = connect(file, { readonly: true });
	source.exec("BEGIN");
	const content = readContent(source, file);
	await source.backup(draft, {
		progress({ totalPages, remainingPages }) {
			signal.throwIfAborted();
			onProgress({ what: "copying", done: totalPages - remainingPages, total: totalPages });
			return pagesPerTurn;
		},
	});
	return content;
}
