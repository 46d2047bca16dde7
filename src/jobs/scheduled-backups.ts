// Takes a backup after each interval, in a separate process, and keeps only the newest backups. Backups are named after
// their times, so a restart causes no extra backup. Their folder is named after the store, so another store with the
// same BACKUP_TO does not remove them. A wrong clock does not cause good backups to be removed, either.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { backupsIn, isBackup, nameOfBackup, timeOfBackup } from "../store/sqlite/backup-files.ts";
import { dropStaleDraftsIn } from "../store/sqlite/draft.ts";
import { runCommand } from "./command-process.ts";

/** The longest time from a failure to the next try. */
const retryMs = 10 * 60_000;
/** The clock is read at least this often, because timers stop while a machine sleeps, and do not follow the clock. */
const timerMaxMs = 60_000;

export interface ScheduleOptions {
	/** The existing folder that contains the store's own folder. */
	folder: string;
	/** Gives the store's own folder its name. Restored backups and copies have the same secret, so the same folder. */
	cursorSecret: Buffer;
	everyMs: number;
	keep: number;
	storeFile: string;
	/** The environment of the process. It contains DATABASE_URL, because a command line is visible to other users. */
	environment: Record<string, string | undefined>;
	now: () => number;
	onBackup: (backup: { file: string; animals: number; durationMs: number }) => void;
	onFailure: (reason: string) => void;
	/** Called when the folder turns out to be on the store's disk, for example if the folder's disk is not mounted. */
	onSameDisk: () => void;
	deviceOf?: (path: string) => number | undefined;
}

/** @returns undefined if the path cannot be read; then the next backup fails and reports the reason */
function deviceNumber(path: string): number | undefined {
	try {
		return statSync(path).dev;
	} catch {
		return undefined;
	}
}

/** The name of a store's own folder, which does not reveal the secret. */
export function folderOf(cursorSecret: Buffer): string {
	return createHash("sha256").update("backups").update(cursorSecret).digest("hex").slice(0, 12);
}

export function scheduleBackups(plan: ScheduleOptions) {
	const { everyMs, keep, environment, now, onBackup, onFailure, deviceOf = deviceNumber } = plan;
	const folder = join(plan.folder, folderOf(plan.cursorSecret));
	let lastAtMs = 0;
	let retryAtMs = 0;
	let isOnStoreDisk = false;
	const retryAfterMs = Math.min(everyMs, retryMs);
	const stopping = new AbortController();
	const { signal } = stopping;
	let timer: NodeJS.Timeout | undefined;
	let running = Promise.resolve();

	const dropStaleDrafts = () => dropStaleDraftsIn(folder, isBackup);

	async function backUp(): Promise<void> {
		const startedAtMs = performance.now();
		// A missing outer folder is not created, because its disk is perhaps not mounted.
		if (existsSync(plan.folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
		dropStaleDrafts();
		const name = nameOfBackup(now());
		const file = join(folder, name);
		const output = await runCommand(["backup", file, "--json"], environment, signal).catch((error) => {
			dropStaleDrafts(); // The process may have been killed.
			throw error;
		});
		lastAtMs = timeOfBackup(name);
		onBackup({ file, animals: JSON.parse(output).animals, durationMs: Math.round(performance.now() - startedAtMs) });
		removeOld(folder, name, keep);
	}

	async function tryBackUp(): Promise<void> {
		try {
			await backUp();
			retryAtMs = 0;
			wait(everyMs);
		} catch (error) {
			if (signal.aborted) return;
			onFailure((error as Error).message);
			retryAtMs = now() + retryAfterMs;
			wait(retryAfterMs);
		}
	}

	function look(): void {
		lookAtDisk();
		lastAtMs = newestMs(folder, now());
		// The clock may have been set back since the failure.
		retryAtMs = Math.min(retryAtMs, now() + retryAfterMs);
		const dueAtMs = Math.max(lastAtMs === 0 ? 0 : lastAtMs + everyMs, retryAtMs);
		if (now() >= dueAtMs) running = tryBackUp();
		else wait(dueAtMs - now());
	}

	function lookAtDisk(): void {
		const device = deviceOf(plan.folder);
		const isSame = device !== undefined && device === deviceOf(plan.storeFile);
		if (isSame && !isOnStoreDisk) plan.onSameDisk();
		isOnStoreDisk = isSame;
	}

	function wait(ms: number): void {
		if (!signal.aborted) timer = setTimeout(look, Math.min(ms, timerMaxMs)).unref();
	}

	look();
	return {
		everyMs,
		/** When the newest backup was taken, in milliseconds since 1970; 0 if there is none. */
		lastAtMs: () => lastAtMs,
		/** Whether the folder was on the disk of the store within the last minute. */
		isOnStoreDisk: () => isOnStoreDisk,
		/** Aborts a backup under way and removes its files. */
		async stop() {
			clearTimeout(timer);
			stopping.abort();
			await running;
		},
	};
}

/** The time of the newest backup, 0 if none. Times after `nowMs` are ignored: the clock was wrong. */
function newestMs(folder: string, nowMs: number): number {
	const times = backupsIn(folder).map(timeOfBackup);
	return times.find((time) => time <= nowMs) ?? 0;
}

/** Keeps `keep` backups. Those dated after `made`, the newest one, go first: a wrong clock dated them. */
function removeOld(folder: string, made: string, keep: number): void {
	const names = backupsIn(folder);
	const byAge = [...names.filter((one) => one <= made), ...names.filter((one) => one > made)];
	for (const name of byAge.slice(keep)) rmSync(join(folder, name), { force: true });
}
