// Takes a backup after each interval, in a folder that keeps only the newest backups. Each `animal-store backup` is its
// own process. A backup's name contains its time, which shows when the next one is due, so a restart causes no extra
// backup. Its content identifies its store. So neither a wrong clock nor another store that uses the same folder causes
// good backups to be removed.

import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import type { Background } from "./background.ts";
import { runCommand } from "./command-process.ts";
import { leaseMs, withLease } from "./leases.ts";
import { dropStaleDraftsIn, namesIn } from "./sqlite/draft.ts";
import { secretOfBackup } from "./sqlite/file.ts";
import { identityOf } from "./sqlite/identity.ts";
import { type Store, StoreRefused } from "./store.ts";

/** The longest time from a failure to the next try. */
const retryMs = 10 * 60_000;
/** The schedule is checked at least this often. */
const timerMaxMs = 24 * 60 * 60_000;

export interface ScheduleOptions {
	folder: string;
	/** Backups of other stores in the folder are neither counted nor removed. */
	store: OwnStore;
	everyMs: number;
	keep: number;
	/** The environment of the process. It contains DATABASE_URL, because a command line is visible to other users. */
	environment: Record<string, string | undefined>;
	now: () => number;
	background: Background;
	/** See `Store.takeLease`: of the nodes with the same folder, only the one with the lease takes the backup. */
	takeLease: (forMs: number) => Promise<boolean>;
	onBackup: (backup: { file: string; animals: number; durationMs: number }) => void;
	/** Called once for each failed try. */
	onFailure: (reason: string) => void;
	/** Called at the start if the folder has backups, but none of this store. */
	onOthers: () => void;
}

export function scheduleBackups(plan: ScheduleOptions) {
	const { folder, everyMs, keep, environment, now, background, takeLease, onBackup, onFailure } = plan;
	const own = openBackupFolder(folder, plan.store);
	let lastAtMs = 0;
	const stopping = new AbortController();
	const { signal } = stopping;
	let timer: NodeJS.Timeout | undefined;
	let running = Promise.resolve();

	async function backUp(): Promise<void> {
		const startedAtMs = performance.now();
		own.dropStaleDrafts();
		const name = nameAt(now());
		const file = join(folder, name);
		const output = await runCommand(["backup", file, "--json"], environment, signal).catch((error) => {
			own.dropStaleDrafts(); // The process may have been killed.
			throw error;
		});
		lastAtMs = timeOf(name);
		onBackup({ file, animals: JSON.parse(output).animals, durationMs: Math.round(performance.now() - startedAtMs) });
		await own.removeOld(name, keep);
	}

	async function tryBackUp(): Promise<void> {
		let nextMs = Math.min(everyMs, leaseMs);
		try {
			await withLease(background, takeLease, async () => {
				if (signal.aborted || own.newestMs(now()) !== lastAtMs) return; // Another node may just have taken a backup.
				await backUp();
				nextMs = everyMs;
			});
		} catch (error) {
			if (signal.aborted) return;
			onFailure((error as Error).message);
			nextMs = Math.min(everyMs, retryMs);
		}
		wait(nextMs);
	}

	function look(): void {
		lastAtMs = own.newestMs(now());
		const ageMs = lastAtMs === 0 ? everyMs : now() - lastAtMs;
		if (ageMs >= everyMs) running = tryBackUp();
		else wait(everyMs - ageMs);
	}

	function wait(ms: number): void {
		if (!signal.aborted) timer = setTimeout(look, Math.min(ms, timerMaxMs)).unref();
	}

	if (own.hasOnlyOthers()) plan.onOthers();
	look();
	return {
		everyMs,
		/** When any node took the newest backup, in milliseconds since 1970; 0 if there is none. */
		lastAtMs: () => lastAtMs,
		/** Aborts a backup under way and removes its files. */
		async stop() {
			clearTimeout(timer);
			stopping.abort();
			await running;
		},
	};
}

/** Identifies a store. Its restored backups and its copies have the same secret, but another place. */
type OwnStore = Pick<Store, "cursorSecret" | "place">;

function openBackupFolder(folder: string, { cursorSecret, place }: OwnStore) {
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
export function refuseNewStore(file: string, folder: string): void {
	// The folder is read first, because another node may be creating the store and then taking its first backup.
	const hasBackups = backupsIn(folder).length > 0;
	if (!hasBackups || existsSync(file)) return;
	throw new StoreRefused(
		`there is no store at ${file}, but ${folder} has backups of one: ` +
			"mount its disk, restore a backup, or name another folder in BACKUP_TO for a new store",
	);
}

/** For example `animal-store-20261121T213000Z.db`, in UTC: names sort by time. */
function nameAt(ms: number): string {
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
