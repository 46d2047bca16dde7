// Reads of animals and keys in SQLite. The reads of one tick of the event loop share a read transaction, which begins
// at the end of the tick.

import type Database from "better-sqlite3";
import type { Engine } from "../engine.ts";
import { fromKeys, keyColumns, nameOfPage, pageSql, petJsonSql, readKeyRow, toPetPage } from "../reads.ts";
import { type KeyRow, type PageQuery, type PetPage, StorageUnavailable, type StoreVersion } from "../store.ts";
import { createTickBatch } from "../tick-batch.ts";
import { toStoreError } from "./errors.ts";
import { rowsOf } from "./transaction.ts";

export const petJson = petJsonSql((column) => `json_quote(${column})`);

/** @param refuseReplaced throws StorageUnavailable if the store's path names a file that is not the open one */
export function createReads(
	database: Database.Database,
	refuseReplaced: () => void,
): Pick<Engine, "getPet" | "listPets" | "version" | "findKey" | "timeline" | "select"> {
	const { read, version, timeline } = createTickReads(database, refuseReplaced);
	const prepare = (clauses: string) =>
		database.prepare<unknown[], string>(`SELECT ${petJson} FROM pets ${clauses}`).pluck();
	const petById = prepare("WHERE id = ?");
	/** Prepared statements by SQL, which includes the limit: SQLite would plan a statement again for each bound LIMIT. */
	const pages = new Map<string, Database.Statement<unknown[], string>>();

	function readPage(query: PageQuery): PetPage {
		const { text, values } = pageSql(query);
		const clauses = `${text} LIMIT ${query.limit + 1}`;
		// Each placeholder can be a ?, because the values are in the order of the placeholders.
		const statement = pages.get(clauses) ?? prepare(clauses.replaceAll(/\$\d+/g, "?"));
		pages.set(clauses, statement);
		return toPetPage(statement.all(...values), query, version());
	}

	const keyByHash = database
		.prepare<[string], unknown[]>(`SELECT ${keyColumns.join(", ")} ${fromKeys} WHERE s.hash = ?`)
		.raw();

	function readKey(hash: string): KeyRow | undefined {
		const now = version();
		const row = keyByHash.get(hash);
		return row && { ...readKeyRow(row), timeline: now.timeline };
	}

	return {
		getPet: (id) => read(() => ({ json: petById.get(id), version: version() }), `pet ${id}`),
		listPets: (query) => read(() => readPage(query), nameOfPage(query)),
		version: () => read(version),
		findKey: (hash) => read(() => readKey(hash), `key ${hash}`),
		timeline,
		select: (columns, rest, values) =>
			read(() => ({
				rows: rowsOf(database, { text: `SELECT ${columns.join(", ")} ${rest}`, values }),
				version: version(),
			})),
	};
}

interface Read {
	name: unknown;
	query: () => unknown;
}

/**
 * All reads of a tick share a transaction, because locking and unlocking SQLite takes longer than most reads. The
 * transaction begins after the tick has received all requests: a reply never shows data from before its request.
 */
function createTickReads(database: Database.Database, refuseReplaced: () => void) {
	/** Changes with each commit of another connection; this connection commits nothing. */
	const readDataVersion = database.prepare<[], number>("PRAGMA data_version").pluck();
	/** Changes when another program has restored the file in place, because such a restore rewrites the schema. */
	const readSchema = database.prepare<[], number>("PRAGMA schema_version").pluck();
	const readLast = database
		.prepare<[], [lastEdit: bigint, lastId: bigint]>(
			`SELECT (SELECT coalesce(max(id), 0) FROM edits),
				(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'pets')`,
		)
		.safeIntegers()
		.raw();
	let latest: StoreVersion | undefined;
	let latestDataVersion: number | undefined;
	let isLatest = false;

	function version(): StoreVersion {
		if (latest && isLatest) return latest;
		const dataVersion = readDataVersion.get();
		if (!latest || dataVersion !== latestDataVersion) {
			const [lastEdit, lastId] = readLast.get() ?? [0n, 0n];
			latest = { timeline: String(readSchema.get()), lastEdit, lastId };
			latestDataVersion = dataVersion;
		}
		isLatest = true;
		return latest;
	}

	function run({ query }: Read): unknown {
		try {
			return query();
		} catch (error) {
			// If the error has ended the transaction, the other reads would not share a snapshot.
			if (!database.inTransaction) throw error;
			return Promise.reject(toStoreError(error));
		}
	}

	const runAll = database.transaction((reads: Read[]) => {
		isLatest = false;
		return reads.map(run);
	});

	const batch = createTickBatch<Read, unknown>(
		({ name }) => name,
		async (reads) => {
			if (!database.open) throw new StorageUnavailable("the store is closed");
			refuseReplaced();
			try {
				// If only the version is read and the data version is the same, one statement suffices, without a transaction.
				const isKnown = reads.every(({ query }) => query === version) && readDataVersion.get() === latestDataVersion;
				return isKnown ? [latest] : runAll(reads);
			} catch (error) {
				throw toStoreError(error);
			}
		},
	);

	return {
		/**
		 * Runs the query in a snapshot that begins after this call. Reads with equal names share a result.
		 * @throws StorageUnavailable, including if the store's path now names another file
		 */
		read: <Result>(query: () => Result, name: unknown = query) => batch({ name, query }) as Promise<Result>,
		version,
		timeline: () => latest?.timeline ?? "",
	};
}
