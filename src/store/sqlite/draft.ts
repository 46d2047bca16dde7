// A new file is written as a draft, which only its owner may read. Once the draft is complete on disk, it gets the
// file's name. A draft's own name has the process id, so that the next start can remove drafts of killed processes.

import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { threadId } from "node:worker_threads";
import { StoreRefused } from "../store.ts";
import { failedSyncSuffix } from "./identity.ts";

/** Part of the names of this process's drafts. */
const owner = `${process.pid}-${threadId}`;
const onlyOwner = 0o600;
const onlyOwnerFolder = 0o700;
/** A folder in the current folder. By default, DATABASE_URL names a file in this folder. */
const defaultFolder = "data";
/** Suffixes of the files next to a database: SQLite's own files, and the report of a failed sync. */
const companions = ["-journal", "-wal", "-shm", failedSyncSuffix];

/** Creates a missing folder only if it is the default: another one may be on an unmounted disk. @throws StoreRefused */
function makeFolder(file: string): void {
	const folder = resolve(dirname(file));
	if (statSync(folder, { throwIfNoEntry: false })) return;
	if (folder !== resolve(defaultFolder))
		throw new StoreRefused(`there is no folder ${folder}: create it, mount its disk, or name another file`);
	mkdirSync(folder, { recursive: true, mode: onlyOwnerFolder });
	syncFolder(dirname(folder));
}

/** Creates an empty draft of this file. The caller must call `dropDraft`, even after an error. */
export function newDraft(file: string): string {
	makeFolder(file);
	const draft = draftName(file);
	dropDraft(draft);
	closeSync(openSync(draft, "wx", onlyOwner));
	return draft;
}

/**
 * Syncs the draft to disk, then gives it the file's name.
 * @param put `renameSync` to replace a file @throws EEXIST if the file exists and is not replaced
 */
export function publish(draft: string, file: string, put = link): void {
	sync(draft, "r+");
	put(draft, file);
	syncFolder(dirname(file));
}

export function dropDraft(draft: string): void {
	for (const path of [draft, ...companions.map((suffix) => draft + suffix)]) rmSync(path, { force: true });
}

/** Removes SQLite's files next to a database that no process has open, and syncs the removal to disk. */
export function dropCompanions(file: string): void {
	for (const suffix of companions) rmSync(file + suffix, { force: true });
	syncFolder(dirname(file));
}

/** Removes drafts of this file whose processes no longer run. */
export function dropStaleDrafts(file: string): void {
	dropStaleDraftsIn(dirname(file), (name) => name === basename(file));
}

/** Removes drafts whose processes no longer run. @param isOurs selects drafts by the name of the file they are for */
export function dropStaleDraftsIn(folder: string, isOurs: (name: string) => boolean): void {
	for (const draft of namesIn(folder)) {
		const [, name = "", by, pid] = /^(.*)\.((\d+)-\d+)\.new(-\w+)*$/.exec(draft) ?? [];
		if (!isOurs(name) || (by !== owner && isRunning(Number(pid)))) continue;
		rmSync(join(folder, draft), { force: true });
	}
}

export function link(file: string, name: string): void {
	try {
		linkSync(file, name);
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/.test(code)) throw error;
		throw new StoreRefused(`cannot create ${name}: its file system has no hard links (${code}): use another one`);
	}
}

export function draftName(file: string): string {
	return `${file}.${owner}.new`;
}

/** Returns an empty list if the folder cannot be read: a later write to the folder reports the error. */
export function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}

function syncFolder(folder: string): void {
	if (process.platform !== "win32") sync(folder, "r");
}

function sync(path: string, flags: string): void {
	const descriptor = openSync(path, flags);
	try {
		fsyncSync(descriptor);
	} finally {
		closeSync(descriptor);
	}
}
