// Scheduled backups: one after each interval into a folder, which keeps the newest. Their names show when the next one
// is due, so a restart makes no extra one. Each is made by `animal-store backup`, in a process of its own.

import { mkdtempSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Background } from "./background.ts";
import { runCommand } from "./command-process.ts";
import { leaseMs, withLease } from "./leases.ts";
import { dropStaleDraftsIn, namesIn } from "./sqlite/draft.ts";
import { StoreRefused } from "./store.ts";

/** After a failure, the next try comes no later than this. */
const retryMs = 10 * 60_000;
/** How often the schedule is checked, at least. Less than the longest time of a timer. */
const timerMaxMs = 24 * 60 * 60_000;

export type ScheduledBackups = ReturnType<typeof scheduleBackups>;

export interface ScheduleOptions {
	folder: string;
	everyMs: number;
	/** How many backups are kept. */
	keep: number;
	/** The environment of the process, with DATABASE_URL: a command line is visible to other users. */
	environment: Record<string, string | undefined>;
	now: () => number;
	background: Background;
	/** See `Store.takeLease`: one of the nodes with the same folder makes the backup. */
	takeLease: (forMs: number) => Promise<boolean>;
	onBackup: (backup: { file: string; animals: number; durationMs: number }) => void;
	/** Called once for each try that failed. */
	onFailure: (reason: string) => void;
}

/** @throws StoreRefused if no backup could be written there, so that a service without backups does not start */
export function checkBackupFolder(folder: string): void {
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
		throw new StoreRefused(`there is no folder ${folder} for backups: create it, or fix BACKUP_TO`);
	try {
		rmdirSync(mkdtempSync(join(folder, "animal-store-check-")));
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		throw new StoreRefused(`cannot write to the folder ${folder} for backups (${code}): fix that, or BACKUP_TO`);
	}
}

export function scheduleBackups(plan: ScheduleOptions) {
	const { folder, everyMs, keep, environment, now, background, takeLease, onBackup, onFailure } = plan;
	let lastAtMs = 0;
	const stopping = new AbortController();
	const { signal } = stopping;
	let timer: NodeJS.Timeout | undefined;
	let running = Promise.resolve();

	async function backUp(): Promise<void> {
		const startedAtMs = performance.now();
		dropStaleDraftsIn(folder, isBackupName);
		const name = nameAt(now());
		const file = join(folder, name);
		const output = await runCommand(["backup", file, "--json"], environment, signal).catch((error) => {
			dropStaleDraftsIn(folder, isBackupName); // The process may have been killed.
			throw error;
		});
		lastAtMs = timeOf(name);
		onBackup({ file, animals: JSON.parse(output).animals, durationMs: Math.round(performance.now() - startedAtMs) });
		removeOld(folder, name, keep);
	}

	async function tryBackUp(): Promise<void> {
		let nextMs = Math.min(everyMs, leaseMs);
		try {
			await withLease(background, takeLease, async () => {
				if (signal.aborted || newestIn(folder) !== lastAtMs) return; // Another node may have just made one.
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

	/** A backup from the future, after a jump of the clock, postpones only the first one after a start. */
	function look(isStart: boolean): void {
		lastAtMs = newestIn(folder);
		const ageMs = lastAtMs === 0 ? everyMs : now() - lastAtMs;
		if (ageMs >= everyMs || (ageMs < 0 && !isStart)) running = tryBackUp();
		else wait(everyMs - Math.max(0, ageMs));
	}

	function wait(ms: number): void {
		if (!signal.aborted) timer = setTimeout(() => look(false), Math.min(ms, timerMaxMs)).unref();
	}

	look(true);
	return {
		/** When the newest backup in the folder was made, by any run of any node: since 1970, 0 without one. */
		lastAtMs: () => lastAtMs,
		/** Ends a backup under way, which leaves no file. */
		async stop() {
			clearTimeout(timer);
			stopping.abort();
			await running;
		},
	};
}

/** For example `animal-store-20261121T213000Z.db`, in UTC: names sort by time. */
function nameAt(ms: number): string {
	return `animal-store-${new Date(ms).toISOString().replaceAll(/[-:]|\.\d+/g, "")}.db`;
}

const backupName = /^animal-store-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.db$/;
const isBackupName = (name: string) => backupName.test(name);

function timeOf(name: string): number {
	return Date.parse(name.replace(backupName, "$1-$2-$3T$4:$5:$6Z"));
}

function backupsIn(folder: string): string[] {
	return namesIn(folder).filter(isBackupName).sort();
}

/** The time of the newest backup; 0 without one. */
function newestIn(folder: string): number {
	const newest = backupsIn(folder).at(-1);
	return newest === undefined ? 0 : timeOf(newest);
}

/** @param made is kept, whatever the other names say */
function removeOld(folder: string, made: string, keep: number): void {
	const others = backupsIn(folder).filter((name) => name !== made);
	for (const name of others.slice(0, Math.max(0, others.length + 1 - keep)))
		rmSync(join(folder, name), { force: true });
}
