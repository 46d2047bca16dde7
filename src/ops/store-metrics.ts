// The store: commits, the queue of writes, files and disk, connections to PostgreSQL, animals and backups. A figure
// that this store does not have, such as the pool over SQLite, has no samples.

import type { Totals } from "../contract/activity.ts";
import { type BackgroundTask, backgroundTasks, type Commit, type Store, type StoreUse } from "../store/store.ts";
import { counter, counterBy, type Family, gauge, gaugeBy, histogram, upToSeconds } from "./exposition.ts";

export interface StoreSources {
	store: Pick<Store, "queue" | "writeState" | "readUse">;
	/** The animals by status, counted up to now; undefined if another process of the service counts them. */
	animals: (() => Promise<Totals>) | undefined;
	/** When the last backup ended, in milliseconds since 1970, 0 if none did; undefined if this service makes none. */
	lastBackupAtMs?: (() => number | undefined) | undefined;
}

const upToWrites = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** @param sources undefined until the store is open; `observeCommit` may be called before */
export function createStoreMetrics(sources: Sources) {
	const commits = histogram(
		"animal_store_commit_duration_seconds",
		"Time of a batch of writes from the start of its transaction until it is on disk, failed ones included.",
		upToSeconds,
	);
	const syncs = histogram(
		"animal_store_sync_duration_seconds",
		"SQLite: the part of a commit that writes the log and waits for the disk.",
		upToSeconds,
	);
	const batches = histogram("animal_store_batch_writes", "Writes in one commit.", upToWrites);
	let failedCommits = 0;
	const failures = new Map<BackgroundTask, number>(backgroundTasks.map((task) => [task, 0]));
	return {
		families: [
			commits,
			syncs,
			batches,
			counter("animal_store_commits_failed_total", "Batches that were not stored.", () => failedCommits),
			counterBy(
				"task",
				"animal_store_background_failures_total",
				`Work beside the requests that failed and is done again later. task: ${backgroundTasks.join(", ")}.`,
				() => failures,
			),
			...stateFamilies(sources),
			...useFamilies(sources),
		],
		observeCommit({ writes, ms, syncMs, isStored }: Commit): void {
			commits.observe(ms / 1000);
			batches.observe(writes);
			if (syncMs !== undefined) syncs.observe(syncMs / 1000);
			if (!isStored) failedCommits++;
		},
		observeFailure: (task: BackgroundTask) => void failures.set(task, (failures.get(task) ?? 0) + 1),
	};
}

type Sources = () => StoreSources | undefined;

function stateFamilies(sources: Sources): Family[] {
	return [
		gauge("animal_store_writable", "1 while the store accepts writes, 0 while it refuses them.", () => {
			const state = sources()?.store.writeState();
			return state && Number(state === "working" || state === "slow");
		}),
		gauge("animal_store_writes_waiting", "Writes that wait for their commit.", () => {
			return sources()?.store.queue.length ?? 0;
		}),
		gauge(
			"animal_store_oldest_write_waiting_seconds",
			"How long the oldest of the waiting writes has waited; 0 if none waits.",
			() => (sources()?.store.queue.oldestMs ?? 0) / 1000,
		),
		gaugeBy(
			"status",
			"animal_store_animals",
			"Animals in the whole store by status (none: without one); absent while they cannot be counted.",
			async () => {
				const counted = await sources()
					?.animals?.()
					.catch(() => undefined);
				const { isComplete = false, ...counts } = counted ?? {};
				return isComplete ? Object.entries(counts) : undefined;
			},
		),
		gauge(
			"animal_store_last_backup_timestamp_seconds",
			"When the service completed its last backup, in seconds since 1970; 0 before the first; none without BACKUP_TO.",
			() => {
				const atMs = sources()?.lastBackupAtMs?.();
				return atMs && atMs / 1000;
			},
		),
	];
}

/** What the store says of its files or connections. */
function useFamilies(sources: Sources): Family[] {
	const use = async (): Promise<StoreUse> => (await sources()?.store.readUse()) ?? {};
	const file = (name: string, help: string, field: keyof NonNullable<StoreUse["files"]>) =>
		gauge(name, `SQLite: ${help}`, async () => (await use()).files?.[field]);
	return [
		file("animal_store_database_bytes", "size of the database file.", "databaseBytes"),
		file("animal_store_wal_bytes", "size of the write-ahead log (the file -wal).", "walBytes"),
		file("animal_store_disk_free_bytes", "free space that the service may use where the database is.", "diskFreeBytes"),
		file("animal_store_disk_size_bytes", "size of the file system where the database is.", "diskBytes"),
		gaugeBy(
			"state",
			"animal_store_pool_connections",
			"PostgreSQL: connections of the pool. state: in_use or idle.",
			async () => {
				const { pool } = await use();
				return pool && Object.entries({ in_use: pool.inUse, idle: pool.idle });
			},
		),
		gauge("animal_store_pool_waiting", "PostgreSQL: queries that wait for a connection of the pool.", async () => {
			return (await use()).pool?.waiting;
		}),
	];
}
