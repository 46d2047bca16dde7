// Builds a Store from the parts of an engine, and from the parts that both engines share.

import type { Background } from "./background.ts";
import { listCategories } from "./categories.ts";
import { type FindSql, findPets } from "./find.ts";
import { type Create, idempotencyMs, listKeysOf } from "./idempotency.ts";
import { countPets, listKeys, type Scan, type Select } from "./reads.ts";
import {
	type Categories,
	CategoriesFull,
	type CategoryName,
	type Commit,
	type EditRecord,
	type Edits,
	type ImportedPet,
	type KeyRows,
	type Store,
} from "./store.ts";
import { columnNames, createRecordReader, tables } from "./tables.ts";
import type { Write } from "./transactions.ts";

export interface OpenOptions {
	/** Rejects a missing store instead of creating it. */
	mustExist?: boolean;
	/** Also rejects a missing store if this folder has backups. */
	backupFolder?: string | undefined;
	/** Called when a store was created; `location` is its file or its database. */
	onCreate?: (location: string) => void;
	/** Called with a text for operators, for example about a slow start. */
	onNotice?: (text: string) => void;
	/**
	 * Called once, when the store stops accepting writes. Opening it again helps, unless `readsGoOn` is true: then its
	 * schema or layout has changed, or its path leads to no file or to another file.
	 */
	onFatal?: (reason: string, readsGoOn: boolean) => void;
	/** The most connections to a database server; by default, 10. */
	connectionsMax?: number;
	/** Runs background work and reports its failures. Commands have no background work. */
	background?: Background;
	/** How long a create may wait until its commit begins; no limit if absent. */
	writeWaitMaxMs?: number | undefined;
	/** Called after each batch of writes. */
	onCommit?: (commit: Commit) => void;
	/** Returns 0 to 1, so that concurrent nodes retry at different times. Absent for commands, which write only once. */
	random?: () => number;
}

export type StoreOptions = OpenOptions & { background: Background };

/** What each engine implements itself. `createStore` builds the rest of a store from these parts. */
export interface Engine
	extends Pick<
		Store,
		"listPets" | "getPet" | "version" | "cursorSecret" | "queue" | "writeState" | "checkWrites" | "readUse" | "close"
	> {
	select: Select;
	scan: Scan;
	/** Same as `scan`, but does not wait for searches. */
	scanList: Scan;
	findSql: FindSql;
	write: Write;
	/** Commits the creates in one transaction. */
	createAll(creates: Create[]): Promise<ImportedPet[]>;
	findKey: KeyRows["findByHash"];
	/** The timeline of the latest read. */
	timeline(): string;
}

export function createStore(engine: Engine, now: () => number): Store {
	const { select, write, createAll } = engine;
	return {
		...engine,
		keys: createKeyRows(engine),
		edits: createEdits(engine, now),
		categories: createCategories(engine),
		findPets: (query, signal) => findPets(engine, query, signal),
		async createPet(pet, idempotencyKey) {
			const [created] = await createAll([{ pet, idempotencyKey, nowMs: now() }]);
			const { id, outcome } = created as ImportedPet;
			return { id, outcome };
		},
		createPets(rows) {
			const nowMs = now();
			return createAll(rows.map((row) => ({ ...row, nowMs })));
		},
		listKeys: (...given) => listKeysOf(engine.scanList, given, now() - idempotencyMs),
		sweepIdempotencyKeys: (rows) => write("sweepIdempotencyKeys", now(), rows),
		countPets: () => countPets(select),
	};
}

function createKeyRows({ select, write, findKey, timeline }: Engine): KeyRows {
	return {
		get timeline() {
			return timeline();
		},
		findByHash: findKey,
		list: () => listKeys(select),
		add: (key, secret, unless) => write("addKey", key, secret, unless),
		rotate: (keyId, secret, graceEndsAtMs) => write("rotateKey", keyId, secret, graceEndsAtMs),
		revoke: (keyId, nowMs) => write("revokeKey", keyId, nowMs),
		touch: (uses) => write("touchKeys", uses),
	};
}

const toEdit = createRecordReader<EditRecord>(tables.edits);

/** How many edits a call searches for those of one editor. As the ids of edits have no gaps, this is a range of ids. */
const latestRead = 10_000n;

function createEdits({ select, write, version }: Engine, now: () => number): Edits {
	const read = async (rest: string, values: unknown[]) =>
		(await select(columnNames(tables.edits), rest, values)).rows.map(toEdit);
	return {
		apply: (edit) => write("editPet", edit, now()),
		list: (after, limit) => read("FROM edits WHERE id > $1 ORDER BY id LIMIT $2", [after, limit]),
		async latest({ editor, before, limit }) {
			const end = before ?? (await version()).lastEdit + 1n;
			const from = editor === undefined ? 1n : end - latestRead;
			const isOf = editor === undefined ? "" : "AND editor = $4";
			const rest = `FROM edits WHERE id < $1 AND id >= $2 ${isOf} ORDER BY id DESC LIMIT $3`;
			const edits = await read(rest, [end, from, limit, ...(editor === undefined ? [] : [editor])]);
			const next = edits.length === limit ? edits.at(-1)?.id : from;
			return { edits, ...(next && next > 1n && { next }) };
		},
		ofPet: (petId, limit) => read("FROM edits WHERE pet_id = $1 ORDER BY id DESC LIMIT $2", [petId, limit]),
	};
}

/** The most names that the main thread receives at a time. */
const namesPage = 2000;

function createCategories({ scanList: scan, write }: Engine): Categories {
	return {
		async names() {
			const names: CategoryName[] = [];
			// Names are read in pages, because a store from an earlier version may have more than `categoryNamesMax` names.
			for (let last: bigint | undefined, isLast = false; !isLast; last = names.at(-1)?.id) {
				const rest = `FROM categories ${last === undefined ? "" : "WHERE id > $1"} ORDER BY id LIMIT ${namesPage}`;
				const rows = (await scan(["id", "name"], rest, last === undefined ? [] : [last])) as [bigint, string][];
				names.push(...rows.map(([id, name]) => ({ id, name })));
				isLast = rows.length < namesPage;
			}
			return names;
		},
		list: (limit) => listCategories(scan, limit),
		async apply(changes) {
			const results = await write("changeCategories", changes);
			if (!results) throw new CategoriesFull();
			return results;
		},
	};
}
