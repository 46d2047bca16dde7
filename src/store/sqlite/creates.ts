// Sends the creates of a batch to the writer thread, which adds them. The thread receives animals and keys as strings,
// and returns one id for the batch, because copying objects would take longer than adding the rows.

import Database from "better-sqlite3";
import { newPetFields, petJson } from "../../contract/pet.ts";
import { type Create, idempotencyMs, type KeyOfCreate, keyOfCreate, planBatch } from "../idempotency.ts";
import type { ImportedPet } from "../store.ts";
import {
	columnList,
	columnNames,
	createRecordReader,
	createRowWriter,
	type IdempotencyKeyRecord,
	pickColumns,
	type Table,
	tables,
} from "../tables.ts";

/** The creates of one transaction: two JSON lists without brackets. */
export interface SentCreates {
	count: number;
	pets: string;
	/** The row of each create's Idempotency-Key, or null; empty if no create has a key. */
	keys: string;
}

/** Separates animals. It occurs nowhere else, because strings in JSON contain no line break. */
const petSeparator = ",\n";

export interface CreatedBatch {
	/** The id of the batch's first new animal. The other new animals of the batch have the next ids, in its order. */
	firstId: bigint;
	/** The result of each create; absent if every create has added an animal. */
	results?: ImportedPet[];
}

export function toSentCreates(creates: readonly Create[]): SentCreates {
	const keys = creates.map(keyOfCreate).map((key) => key && toKeyRow(key));
	return {
		count: creates.length,
		pets: creates.map(({ pet }) => petJson(pet)).join(petSeparator),
		keys: keys.some((key) => key) ? JSON.stringify(keys).slice(1, -1) : "",
	};
}

export function joinCreates(batch: readonly SentCreates[]): SentCreates {
	const writes = batch.filter(({ count }) => count > 0);
	const hasKeys = writes.some(({ keys }) => keys !== "");
	const keysOf = ({ count, keys }: SentCreates) => keys || Array(count).fill("null").join();
	return {
		count: writes.reduce((sum, { count }) => sum + count, 0),
		pets: writes.map(({ pets }) => pets).join(petSeparator),
		keys: hasKeys ? writes.map(keysOf).join() : "",
	};
}

export function* createResults({ firstId, results = [] }: CreatedBatch): Generator<ImportedPet, never> {
	yield* results;
	for (let id = firstId; ; id++) yield { id, outcome: "created" };
}

const newPets = pickColumns(tables.pets, newPetFields);
const { idempotencyKeys } = tables;
const newKeys = pickColumns(idempotencyKeys, ["caller", "key", "fingerprint", "createdAtMs", "origin"]);
const toKeyRow = createRowWriter(newKeys);
const toKey = createRecordReader<KeyOfCreate>(newKeys);
const toRecord = createRecordReader<IdempotencyKeyRecord>(idempotencyKeys);

/**
 * SQL that inserts the items of a JSON list. The parameters are the id for the first item, and the list.
 * @param paths for each column, the JSON path of its value in an item
 */
function insertItems(table: Table, idColumn: string, paths: string[]): string {
	const values = paths.map((path) => `json_extract(value, '$${path}')`);
	return `INSERT INTO ${table.name} (${idColumn}, ${columnList(table)})
		SELECT ? + key, ${values.join(", ")} FROM jsonb_each('[' || ? || ']') WHERE type <> 'null'`;
}

/** @returns a function that adds the creates of a batch, and must be called in a transaction */
export function prepareCreates(database: Database.Database): (creates: SentCreates) => CreatedBatch {
	const nextId = database
		.prepare<[], bigint>(
			`SELECT 1 + max(
				(SELECT coalesce(max(id), 0) FROM pets),
				(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'pets'))`,
		)
		.pluck()
		.safeIntegers();
	const petPaths = newPetFields.map((field) => `.${field}`);
	const addPets = database.prepare(insertItems(newPets, "id", petPaths));
	const keyPaths = columnNames(newKeys).map((_, index) => `[${index}]`);
	const addKeys = database.prepare(insertItems(newKeys, "pet_id", keyPaths));
	const given = "(SELECT value ->> 0, value ->> 1 FROM jsonb_each('[' || ? || ']'))";
	const dropExpiredKeys = database.prepare(
		`DELETE FROM idempotency_keys WHERE (caller, key) IN ${given} AND created_at_ms <= ?`,
	);
	const selectTaken = `SELECT ${columnList(idempotencyKeys)} FROM idempotency_keys WHERE (caller, key) IN ${given}`;
	const takenKeys = database.prepare<unknown[], unknown[]>(selectTaken).safeIntegers().raw();

	/** @returns false if a key was used before; then nothing is added */
	function addNewKeys(firstId: bigint, keys: string): boolean {
		try {
			addKeys.run(firstId, keys);
			return true;
		} catch (error) {
			if (error instanceof Database.SqliteError && error.code === "SQLITE_CONSTRAINT_UNIQUE") return false;
			throw error;
		}
	}

	return ({ pets, keys }) => {
		const firstId = nextId.get() ?? 1n;
		if (keys === "" || addNewKeys(firstId, keys)) {
			if (pets !== "") addPets.run(firstId, pets);
			return { firstId };
		}
		const rows = JSON.parse(`[${keys}]`) as (unknown[] | null)[];
		const batchKeys = rows.map((row) => row && toKey(row));
		dropExpiredKeys.run(keys, Math.min(...batchKeys.flatMap((key) => key?.createdAtMs ?? [])) - idempotencyMs);
		const { added, results } = planBatch(batchKeys, takenKeys.all(keys).map(toRecord), firstId);
		const all = pets.split(petSeparator);
		addKeys.run(firstId, JSON.stringify(added.map((index) => rows[index])).slice(1, -1));
		addPets.run(firstId, added.map((index) => all[index]).join(petSeparator));
		return { firstId, results };
	};
}
