// The reads of one turn of the event loop in SQLite: one read transaction at its end.

import type Database from "better-sqlite3";
import { type Shown, StorageUnavailable } from "../store.ts";
import { createTurnBatch } from "../turn-batch.ts";
import { toStoreError } from "./errors.ts";

interface Read {
	name: unknown;
	query: () => unknown;
}

export interface TurnReads {
	/**
	 * Runs the query in a snapshot that begins after this call. Reads with equal names share a result.
	 * @throws StorageUnavailable, also if the store's path names another file by then
	 */
	read<Result>(query: () => Result, name?: unknown): Promise<Result>;
	/** The state that the snapshot shows. For queries. */
	shown(): Shown;
	/** The history that the latest read of the state showed. */
	history(): string;
}

/**
 * All reads of a turn share a transaction, because locking and unlocking SQLite costs more than most reads. It begins
 * when the turn has taken all its requests, so that none of them is younger than what it reads.
 * @param isReplaced whether the store's path names another file than the open one
 */
export function createTurnReads(database: Database.Database, isReplaced: () => boolean): TurnReads {
	/** Another one after each commit of another connection; this one commits nothing. */
	const readVersion = database.prepare<[], number>("PRAGMA data_version").pluck();
	/** Another one when another program has restored the file in its place, which rewrites the schema. */
	const readSchema = database.prepare<[], number>("PRAGMA schema_version").pluck();
	const readLast = database
		.prepare<[], [lastEdit: bigint, lastId: bigint]>(
			`SELECT (SELECT coalesce(max(id), 0) FROM edits),
				(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'pets')`,
		)
		.safeIntegers()
		.raw();
	let latest: Shown | undefined;
	let latestVersion: number | undefined;
	let isLatest = false;

	function shown(): Shown {
		if (latest && isLatest) return latest;
		const version = readVersion.get();
		isLatest = true;
		if (latest && version === latestVersion) return latest;
		const [lastEdit, lastId] = readLast.get() ?? [0n, 0n];
		latest = { history: String(readSchema.get()), lastEdit, lastId };
		latestVersion = version;
		return latest;
	}

	/** One statement, so it needs no transaction. @returns undefined if another connection has committed since */
	function shownUnchanged(): Shown | undefined {
		return readVersion.get() === latestVersion ? latest : undefined;
	}

	function run({ query }: Read): unknown {
		try {
			return query();
		} catch (error) {
			// Without the transaction, the other reads would not share a snapshot.
			if (!database.inTransaction) throw error;
			return Promise.reject(toStoreError(error));
		}
	}

	const runAll = database.transaction((reads: Read[]) => {
		isLatest = false;
		return reads.map(run);
	});

	const batch = createTurnBatch<Read, unknown>(
		({ name }) => name,
		async (reads) => {
			if (!database.open) throw new StorageUnavailable("the store is closed");
			if (isReplaced()) throw new StorageUnavailable("the file was replaced while it was open: restart the service");
			try {
				const known = reads.every(({ query }) => query === shown) && shownUnchanged();
				return known ? [known] : runAll(reads);
			} catch (error) {
				throw toStoreError(error);
			}
		},
	);

	return {
		read: <Result>(query: () => Result, name: unknown = query) => batch({ name, query }) as Promise<Result>,
		shown,
		history: () => latest?.history ?? "",
	};
}
