// Backups of a SQLite store while services write to it, and their way back: one consistent moment, complete on disk or
// not there at all.

import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { StoreRefused } from "../store.ts";
import {
	draftName,
	dropCompanions,
	dropDraft,
	dropStaleDrafts,
	link,
	makeFolder,
	newDraft,
	publish,
	replace,
} from "./draft.ts";
import { missing, recognise, refusal, verifyPages, verifySchema } from "./file.ts";
import { identityOf } from "./identity.ts";

/** Copied at a time; the event loop turns in between, and hears signals. */
const pagesPerTurn = 2000;

/**
 * Writes a copy of the store as it is at one moment; writers go on meanwhile. The copy is a store: DATABASE_URL may
 * name it.
 * @returns the number of animals in it
 * @throws StoreRefused, and the signal's reason; then there is no copy
 */
export async function backupSqlite(file: string, to: string, signal: AbortSignal): Promise<number> {
	if (!existsSync(file)) throw missing(file);
	if (!statSync(dirname(to), { throwIfNoEntry: false })?.isDirectory()) {
		throw new StoreRefused(`cannot write ${to}: its folder does not exist`);
	}
	if (existsSync(to)) throw new StoreRefused(`${to} is there already: name a new file`);
	return withDraft(to, async (draft) => {
		const animals = await copySnapshot(file, draft, signal);
		publish(draft, to);
		return animals;
	});
}

export interface Restore {
	backup: string;
	/** The file that becomes the store. */
	to: string;
	/** Replaces a file that is there. */
	force: boolean;
	signal: AbortSignal;
}

/**
 * Makes a store of a backup, in the place of another one where `force` says so. No service has it open meanwhile. A
 * crash leaves the old store, the new one, or the new one beside the old one's log, which the next start refuses.
 * @returns the number of animals in it
 * @throws StoreRefused, and the signal's reason
 */
export async function restoreSqlite({ backup, to, force, signal }: Restore): Promise<number> {
	if (!existsSync(backup)) throw new StoreRefused(`there is no backup at ${backup}: name a file that is there`);
	const isThere = existsSync(to);
	if (isThere && statSync(to).isDirectory()) throw new StoreRefused(`${to} is a directory: name a file`);
	if (isThere && identityOf(backup) === identityOf(to))
		throw new StoreRefused(`${backup} is the file to restore to: move it to another name, and restore from there`);
	if (isThere && !force)
		throw new StoreRefused(`${to} is there already: name another file with --to, or replace it with --force`);
	const file = isThere ? realpathSync(to) : to;
	return withDraft(file, async (draft) => {
		recognise(backup, "r");
		const unlock = isThere ? lock(file) : () => {};
		try {
			const animals = await copySnapshot(backup, draft, signal);
			if (isThere) replace(file, draft);
			else publish(draft, file);
			dropCompanions(file);
			return animals;
		} finally {
			unlock();
		}
	});
}

async function withDraft(file: string, work: (draft: string) => Promise<number>): Promise<number> {
	try {
		makeFolder(file);
		dropStaleDrafts(file);
		const draft = newDraft(file);
		try {
			return await work(draft);
		} finally {
			dropDraft(draft);
		}
	} catch (error) {
		throw (error as Error).name === "AbortError" ? error : refusal(file, error);
	}
}

/**
 * One read transaction for all of it, so that what is written meanwhile is not in it. The draft is checked as it is on
 * disk.
 */
async function copySnapshot(file: string, draft: string, signal: AbortSignal): Promise<number> {
	const source = new Database(file, { readonly: true });
	try {
		source.exec("BEGIN");
		source.prepare("SELECT count(*) FROM settings").get();
		await source.backup(draft, {
			progress() {
				signal.throwIfAborted();
				return pagesPerTurn;
			},
		});
	} finally {
		source.close();
	}
	const copy = new Database(draft);
	try {
		copy.pragma("journal_mode = DELETE"); // By which `recognise` tells a backup from a store in use.
		verifySchema(copy, file);
		verifyPages(copy, file);
		signal.throwIfAborted();
		return Number(copy.prepare("SELECT count(*) FROM pets").pluck().get());
	} finally {
		copy.close();
	}
}

/**
 * Keeps services from this file, through another name of it: SQLite would replay the log that stands beside its own
 * name.
 * @returns lets go of it
 */
function lock(file: string): () => void {
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
		// What is no database has no locks, and nobody to keep from it.
		if (/^SQLITE_(NOTADB|CORRUPT)/.test((error as NodeJS.ErrnoException).code ?? "")) return unlock;
		unlock();
		if (/^SQLITE_BUSY/.test((error as NodeJS.ErrnoException).code ?? ""))
			throw new StoreRefused(`${file} is in use: stop the service, then restore`);
		throw error;
	}
	return unlock;
}
