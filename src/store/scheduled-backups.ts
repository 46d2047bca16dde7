// Takes a backup after each interval, in a folder that keeps only the newest backups. Their names show when the next
// backup is due, so a restart causes no extra backup. Each `animal-store backup` runs in its own process.

import { join } from "node:path";
import type { Background } from "./background.ts";
import { nameAt, type OwnStore, openBackupFolder, timeOf } from "./backup-folder.ts";
import { runCommand } from "./command-process.ts";
import { leaseMs, withLease } from "./leases.ts";

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
