// The Store in SQLite. Reads run on the main thread through a read-only connection. All writes go in batches to the
// writer thread (writer.ts).

import type Database from "better-sqlite3";
import type { Pet, PetStatus } from "../../contract/pet.ts";
import { observeCommits } from "../commit-times.ts";
import { createGroupCommit } from "../group-commit.ts";
import { sweepIdempotencyKeys } from "../idempotency-sweep.ts";
import { createKeptPages } from "../kept-pages.ts";
import { toPetCount } from "../pet-count.ts";
import { toPetPage } from "../pet-page.ts";
import {
	type OpenOptions,
	type PageQuery,
	type PetCount,
	type PetPage,
	StorageUnavailable,
	type Store,
} from "../store.ts";
import { columnList, createRecordReader, tables } from "../tables.ts";
import { watchWrites } from "../write-watch.ts";
import type { CommandName, Request, Result, Write } from "./commands.ts";
import { toCreateRequest } from "./create-batch.ts";
import { createEdits } from "./edits.ts";
import { toStoreError } from "./errors.ts";
import { openSqliteReader, toRefusal } from "./file.ts";
import { readFileUse } from "./file-use.ts";
import { identityOf } from "./identity.ts";
import { createKeyRows } from "./keys.ts";
import { createSqliteRows } from "./rows.ts";
import { startWriter } from "./writer.ts";

interface SqliteOptions extends OpenOptions {
	file: string;
	now: () => number;
}

/**
 * Opens the store in this file, and creates a missing one unless `mustExist` is set.
 * @throws StoreRefused
 */
export async function openSqlite(options: SqliteOptions): Promise<Store> {
	const { file, now, onCreate, onNotice = () => {}, verify, mustExist = false, node = "" } = options;
	const watch = watchWrites(() => write("probe", {}));
	const onFatal = (reason: string) => {
		watch.stop();
		options.onFatal?.(reason);
	};
	const writer = await startWriter({ file, verify, mustExist, onFatal, onNotice });
	if (writer.isNew) onCreate?.(file);
	const { database, snapshot, reads, cursorSecret } = await openReads(file).catch(async (error) => {
		await writer.close();
		throw toRefusal(file, error);
	});
	/** The snapshot ends before the commit is acknowledged. */
	const commit = observeCommits<Write, Result>((batch) => writer.commit(batch).finally(snapshot.end), options.onCommit);
	const writes = createGroupCommit<Write, Result>((batch) => watch.observe(commit(batch)), options.writeWaitMaxMs);
	/** Resolves with the result of the command. */
	const write = <Name extends CommandName>(name: Name, request: Request<Name>) =>
		writes.write({ name, request } as Write) as Promise<Result<Name>>;
	const takeLease = (name: string, forMs: number) => write("takeLease", { name, holder: node, nowMs: now(), forMs });
	const sweep = () => write("sweepIdempotencyKeys", { nowMs: now() });
	const stopSweeping = node === "" ? undefined : sweepIdempotencyKeys(takeLease, sweep);

	return {
		listPets: async (query) => snapshot.read(() => reads.listPets(query)),
		getPet: async (id) => snapshot.read(() => reads.getPet(id)),
		createPet: (pet, idempotencyKey) => write("createPet", toCreateRequest({ pet, idempotencyKey, nowMs: now() })),
		cursorSecret,
		place: String(identityOf(file)),
		keys: createKeyRows({ database, read: snapshot.read, write }),
		edits: createEdits({ database, readNow: snapshot.readNow, write, now }),
		rows: createSqliteRows({ database, read: snapshot.readNow, write }),
		countPets: async (after, limit) => snapshot.readNow(() => reads.countPets(after, limit)),
		created: writes.created,
		queue: writes.queue,
		writeState: () => watch.state(writes.queue),
		takeLease,
		readUse: () => readFileUse(file),
		async check() {
			snapshot.end();
			snapshot.read(() => reads.getPet(0n));
		},
		async close() {
			await stopSweeping?.();
			await write("touchKeys", { uses: [] }).catch(() => {});
			snapshot.end();
			database.close();
			await writer.close();
		},
	};
}

async function openReads(file: string) {
	const database = openSqliteReader(file);
	const snapshot = createTurnSnapshot(database);
	const reads = prepareReads(database, snapshot.lastEdit);
	const secret = database.prepare("SELECT value FROM settings WHERE name = 'cursor_secret'").pluck().get() as Buffer;
	return { database, snapshot, reads, cursorSecret: secret };
}

/**
 * One read transaction for all reads of a turn of the event loop, because locking and unlocking SQLite costs more than
 * most reads. It ends with the turn and before a commit is acknowledged, so a reply is never older than its request.
 */
function createTurnSnapshot(database: Database.Database) {
	const beginRead = database.prepare("BEGIN");
	const endRead = database.prepare("COMMIT");

	/** Whether the snapshot has begun: cheaper than asking the connection. */
	let isOpen = false;
	/** Of the snapshot, once it was asked for. */
	let editShown: bigint | undefined;
	const readLastEdit = database.prepare<[], bigint>("SELECT coalesce(max(id), 0) FROM edits").pluck().safeIntegers();

	function end(): void {
		if (!isOpen) return;
		isOpen = false;
		editShown = undefined;
		if (database.inTransaction) endRead.run();
	}

	/** @throws StorageUnavailable */
	function read<Result>(query: () => Result): Result {
		if (!isOpen && !database.open) throw new StorageUnavailable("the store is closed");
		try {
			if (!isOpen) {
				beginRead.run();
				isOpen = true;
				setImmediate(end);
			}
			return query();
		} catch (error) {
			isOpen = database.inTransaction;
			throw toStoreError(error);
		}
	}

	/**
	 * Reads in a snapshot of its own. For reads that no request asks for: they can happen in any phase of the event loop,
	 * and requests of the next phase would read their snapshot, without what another process has committed meanwhile.
	 */
	function readNow<Result>(query: () => Result): Result {
		end();
		try {
			return read(query);
		} finally {
			end();
		}
	}

	/** The last edit that the snapshot shows, 0 before the first. */
	function lastEdit(): bigint {
		editShown ??= readLastEdit.get() ?? 0n;
		return editShown;
	}

	return { read, readNow, end, lastEdit };
}

type PetRow = unknown[];
const toPet = createRecordReader<Pet>(tables.pets);

function prepareReads(database: Database.Database, lastEdit: () => bigint): Reads {
	const prepare = (clauses: string) =>
		database
			.prepare<unknown[], PetRow>(`SELECT ${columnList(tables.pets)} FROM pets ${clauses}`)
			.safeIntegers()
			.raw();
	const petById = prepare("WHERE id = ?");
	const countByStatus = database
		.prepare<unknown[], [status: PetStatus | null, count: bigint, lastId: bigint]>(
			`SELECT status, count(*), max(id)
			FROM (SELECT id, status FROM pets WHERE id > ? ORDER BY id LIMIT ?) GROUP BY status`,
		)
		.safeIntegers()
		.raw();
	const kept = createKeptPages();
	const pages = new Map<string, Database.Statement<unknown[], PetRow>>();

	/** The limit is part of the SQL text, because SQLite plans a statement again for each bound LIMIT. */
	function pageStatement({ status, upTo, limit }: PageQuery): Database.Statement<unknown[], PetRow> {
		const range = upTo === undefined ? "id > ? ORDER BY id" : "id <= ? ORDER BY id DESC";
		const clauses = `WHERE ${status ? "status = ? AND " : ""}${range} LIMIT ${limit + 1}`;
		const statement = pages.get(clauses) ?? prepare(clauses);
		pages.set(clauses, statement);
		return statement;
	}

	return {
		countPets: (after, limit) => toPetCount(countByStatus.all(after, limit), lastEdit()),
		getPet: (id) => {
			const row = petById.get(id);
			return row && toPet(row);
		},
		listPets: (query) => {
			const edit = lastEdit();
			const found = kept.find(query);
			if (found?.lastEdit === edit) return found.page;
			const { status, after, upTo } = query;
			const id = after ?? upTo;
			const rows = status ? pageStatement(query).all(status, id) : pageStatement(query).all(id);
			return kept.keep(query, toPetPage(rows.map(toPet), query), edit);
		},
	};
}

interface Reads {
	countPets(after: bigint, limit: number): PetCount;
	getPet(id: bigint): Pet | undefined;
	listPets(query: PageQuery): PetPage;
}
