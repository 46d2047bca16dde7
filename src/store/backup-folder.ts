// The folder of the service's own backups. A backup's name contains its time; its content identifies its store. So
// neither a wrong clock nor another store that uses the same folder causes good backups to be removed.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { pathOf } from "./open.ts";
import { dropStaleDraftsIn, namesIn } from "./sqlite/draft.ts";
import { secretOfBackup } from "./sqlite/file.ts";
import { identityOf } from "./sqlite/identity.ts";
import { type Store, StoreRefused } from "./store.ts";

/** Identifies a store. Its restored backups and its copies have the same secret, but another place. */
export type OwnStore = Pick<Store, "cursorSecret" | "place">;

export function openBackupFolder(folder: string, { cursorSecret, place }: OwnStore) {
	/** Whether a file is a backup of this store. A backup that DATABASE_URL names is the store, so it is not one. */
	function isOwn(name: string): boolean {
		const file = join(folder, name);
		return identityOf(file) !== place && secretOfBackup(file)?.equals(cursorSecret) === true;
	}

	return {
		/** The time of this store's newest backup, 0 if none. Times after `nowMs` are ignored: the clock was wrong. */
		newestMs(nowMs: number): number {
			const isPast = (name: string) => timeOf(name) <= nowMs;
			const newest = backupsIn(folder).find((name) => isPast(name) && isOwn(name));
			return newest === undefined ? 0 : timeOf(newest);
		},
		/** Whether there are backups, but none of this store. */
		hasOnlyOthers: () => backupsIn(folder).length > 0 && !backupsIn(folder).some(isOwn),
		/**
		 * Removes old backups of this store.
		 * @param made the latest backup's name: backups with later times are from a wrong clock, and are removed first
		 * @param keep how many to keep
		 */
		async removeOld(made: string, keep: number): Promise<void> {
			const names = backupsIn(folder);
			let own = 0;
			for (const name of [...names.filter((one) => one <= made), ...names.filter((one) => one > made)]) {
				await tick(); // `isOwn` reads from the disk.
				if (isOwn(name) && ++own > keep) rmSync(join(folder, name), { force: true });
			}
		},
		dropStaleDrafts: () => dropStaleDraftsIn(folder, (name) => backupName.test(name)),
	};
}

/**
 * Refuses to create a store while the folder has backups: either the disk of the store is not mounted, or the store
 * must be restored.
 * @throws StoreRefused
 */
export function refuseNewStore(databaseUrl: string, folder: string): void {
	// The folder is read first, because another node may be creating the store and then taking its first backup.
	const hasBackups = backupsIn(folder).length > 0;
	const file = pathOf(databaseUrl);
	if (!hasBackups || existsSync(file)) return;
	throw new StoreRefused(
		`there is no store at ${file}, but ${folder} has backups of one: ` +
			"mount its disk, restore a backup, or name another folder in BACKUP_TO for a new store",
	);
}

/** For example `animal-store-20261121T213000Z.db`, in UTC: names sort by time. */
export function nameAt(ms: number): string {
	return `animal-store-${new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, "")}.db`;
}

const backupName = /^animal-store-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;

export function timeOf(name: string): number {
	return Date.parse(name.replace(backupName, "$1-$2-$3T$4:$5:$6Z"));
}

/** The names of all backups of all stores, newest first. */
function backupsIn(folder: string): string[] {
	return namesIn(folder)
		.filter((name) => backupName.test(name))
		.sort()
		.reverse();
}
