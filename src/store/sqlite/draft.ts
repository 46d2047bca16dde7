// A file gets its name when it is complete and on disk. Until then it is a draft beside its place, which only its owner
// may read and which is named after its process, so that the next start can tell what a killed one left behind.

import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { threadId } from "node:worker_threads";
import { StoreRefused } from "../store.ts";

const onlyOwner = 0o600;
const onlyOwnerFolder = 0o700;
/** What SQLite keeps beside a file. */
const companions = ["-journal", "-wal", "-shm"];

/** Makes the folder of a file where it is missing, and waits until it is on disk. */
export function makeFolder(file: string): void {
	const folder = resolve(dirname(file));
	const first = mkdirSync(folder, { recursive: true, mode: onlyOwnerFolder });
	if (first === undefined) return;
	for (let made = folder; made.length >= resolve(first).length; made = dirname(made)) syncFolder(dirname(made));
}

/** Makes an empty draft of this file. Give it to `dropDraft` in the end, whatever became of it. */
export function newDraft(file: string): string {
	const draft = draftName(file);
	dropDraft(draft);
	closeSync(openSync(draft, "wx", onlyOwner));
	return draft;
}

/** Gives the draft its name once it is on disk. @throws EEXIST where the name is taken */
export function publish(draft: string, file: string): void {
	sync(draft, "r+");
	link(draft, file);
	syncFolder(dirname(file));
}

/** Puts the draft in the place of this file once it is on disk. */
export function replace(file: string, draft: string): void {
	sync(draft, "r+");
	renameSync(draft, file);
	syncFolder(dirname(file));
}

export function dropDraft(draft: string): void {
	for (const path of [draft, ...companions.map((suffix) => draft + suffix)]) rmSync(path, { force: true });
}

/**
 * Removes SQLite's log and lock files of a database that nobody has open, and waits until they are gone from the disk.
 */
export function dropCompanions(file: string): void {
	for (const suffix of companions) rmSync(file + suffix, { force: true });
	syncFolder(dirname(file));
}

/** Removes what processes that are gone left behind when they made this file. */
export function dropStaleDrafts(file: string): void {
	const own = basename(draftName(file));
	const start = `${basename(file)}.`;
	for (const name of namesIn(dirname(file))) {
		const [, draft = "", pid] =
			/^((\d+)-\d+\.new)(-\w+)*$/.exec(name.startsWith(start) ? name.slice(start.length) : "") ?? [];
		if (pid === undefined || (start + draft !== own && isRunning(Number(pid)))) continue;
		rmSync(join(dirname(file), name), { force: true });
	}
}

/** Gives a file one more name. */
export function link(file: string, name: string): void {
	try {
		linkSync(file, name);
	} catch (error) {
		const { code = "" } = error as NodeJS.ErrnoException;
		if (!/^(EPERM|ENOTSUP|EOPNOTSUPP|ENOSYS|EMLINK)$/.test(code)) throw error;
		throw new StoreRefused(`cannot make ${name}: its file system has no hard links (${code}); name a place on another`);
	}
}

export function draftName(file: string): string {
	return `${file}.${process.pid}-${threadId}.new`;
}

function namesIn(folder: string): string[] {
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
