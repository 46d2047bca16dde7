// Metrics of the store: commits, the queue of writes, files and disk, connections to PostgreSQL, animals and backups. A
// figure that the store's engine lacks, such as the pool with SQLite, has no samples.

import { type BackgroundTask, backgroundTasks, type Commit, type Store } from "../store/store.ts";
import { createSeries, histogramSamples, samplesBy, upToSeconds } from "./exposition.ts";
import { inTime, type ProbeSources } from "./probes.ts";

/** Empty until the store is open. */
export interface StoreSources extends ProbeSources {
	store?: Pick<Store, "queue" | "getPet" | "countPets" | "writeState" | "checkWrites" | "readUse">;
	/** Undefined if this service takes no backups. `lastAtMs` is 0 before the first backup. */
	backups?: { everyMs: number; lastAtMs: () => number; isOnStoreDisk: () => boolean } | undefined;
}

const upToWrites = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** @param sources read at each scrape */
export function createStoreMetrics(sources: () => StoreSources) {
	const commits = createSeries(upToSeconds);
	const syncs = createSeries(upToSeconds);
	const batches = createSeries(upToWrites);
	let failedCommits = 0;
	const failures = new Map<BackgroundTask, number>(backgroundTasks.map((task) => [task, 0]));
	return {
		observeCommit({ writes, ms, syncMs, isStored }: Commit): void {
			commits.observe(ms / 1000);
			batches.observe(writes);
			if (syncMs !== undefined) syncs.observe(syncMs / 1000);
			if (!isStored) failedCommits++;
		},
		observeFailure: (task: BackgroundTask) => void failures.set(task, (failures.get(task) ?? 0) + 1),
		async read() {
			const { store, backups } = sources();
			const checking = store && inTime(store.checkWrites()).catch(() => {}); // On a hung disk, the check never ends.
			const [{ files, pool } = {}] = await Promise.all([store?.readUse(), checking]);
			const state = store?.writeState();
			const counts = await store?.countPets().catch(() => undefined);
			return {
				animal_store_commit_duration_seconds: histogramSamples(commits),
				animal_store_sync_duration_seconds: histogramSamples(syncs),
				animal_store_batch_writes: histogramSamples(batches),
				animal_store_commits_failed_total: failedCommits,
				animal_store_background_failures_total: samplesBy("task", failures),
				animal_store_writable: state && Number(state === "working" || state === "slow"),
				animal_store_writes_waiting: store?.queue.length ?? 0,
				animal_store_oldest_write_waiting_seconds: (store?.queue.oldestMs ?? 0) / 1000,
				animal_store_animals: counts && samplesBy("status", Object.entries(counts.counts)),
				animal_store_last_backup_timestamp_seconds: backups && backups.lastAtMs() / 1000,
				animal_store_backup_interval_seconds: backups && backups.everyMs / 1000,
				animal_store_backup_on_store_disk: backups && Number(backups.isOnStoreDisk()),
				animal_store_database_bytes: files?.databaseBytes,
				animal_store_wal_bytes: files?.walBytes,
				animal_store_disk_free_bytes: files?.diskFreeBytes,
				animal_store_disk_size_bytes: files?.diskBytes,
				animal_store_pool_connections:
					pool && samplesBy("state", Object.entries({ in_use: pool.inUse, idle: pool.idle })),
				animal_store_pool_waiting: pool?.waiting,
			};
		},
	};
}
