// The files of scheduled backups, whose names contain their times. While there are such files, no new store is created.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { StoreRefused } from "../store.ts";
import { namesIn } from "./draft.ts";

/**
 * Refuses to create a store while the folder has backups of any store: a missing store must be restored, or its disk
 * mounted. @throws StoreRefused
 */
export function refuseNewStore(file: string, folder: string): void {
	// The folder is read before the file, because another process may be creating the file and then its first backup.
	const places = [folder, ...namesIn(folder).map((name) => join(folder, name))];
	const hasBackups = places.some((place) => backupsIn(place).length > 0);
	if (!hasBackups || existsSync(file)) return;
	throw new StoreRefused(
		`there is no store at ${file}, but ${folder} has backups of one: ` +
			"mount its disk, restore a backup, or name another folder in BACKUP_TO for a new store",
	);
}

/** For example `animal-store-20261121T213000Z.db`, in UTC. Names in sorted order have ascending times. */
export function nameOfBackup(ms: number): string {
	return `animal-store-${new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, "")}.db`;
}

const backupName = /^animal-store-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

export const isBackup = (name: string) => backupName.test(name);

export function timeOfBackup(name: string): number {
	return Date.parse(name.replace(backupName, "$1-$2-$3T$4:$5:$6Z"));
}

/** The names of the backups, newest first. A file with a WAL does not count: it is a store that DATABASE_URL names. */
export function backupsIn(folder: string): string[] {
	const names = new Set(namesIn(folder));
	const backups = [...names].filter((name) => isBackup(name) && !names.has(`${name}-wal`));
	return backups.sort().reverse();
}
