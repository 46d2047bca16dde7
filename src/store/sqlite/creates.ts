// Sends the creates of a batch to the writer thread, adds them to the database, and returns their results. The thread
// receives two strings and returns one id for all animals: copying objects would take longer than adding the rows.

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

/** A create as JSON: its animal, and the row of its Idempotency-Key or null. */
export interface CreateRequest {
	pet: string;
	key: string;
}

/** The creates of a batch as two JSON lists without their brackets. `keys` is empty if no create has a key. */
export interface SentCreates {
	pets: string;
	keys: string;
}

/** Strings in JSON contain no line break. */
const separator = ",\n";

/** The results of a batch. */
export interface CreatedBatch {
	/** The id of the batch's first new animal. Its other new animals have the next ids, in the order of the batch. */
	firstId: bigint;
	/** The result of each create; absent if every create has added an animal. */
	results?: ImportedPet[];
}

export function toCreateRequest(create: Create): CreateRequest {
	const key = keyOfCreate(create);
	return { pet: petJson(create.pet), key: key ? JSON.stringify(toKeyRow(key)) : "null" };
}

export function toSentCreates(requests: readonly CreateRequest[]): SentCreates {
	const keys = requests.some(({ key }) => key !== "null") ? requests.map(({ key }) => key) : [];
	return { pets: requests.map(({ pet }) => pet).join(separator), keys: keys.join(separator) };
}

/** Yields the results of the creates of a batch, in order. */
export function* createResults({ firstId, results = [] }: CreatedBatch): Generator<ImportedPet, never> {
	yield* results;
	for (let id = firstId; ; id++) yield { id, outcome: "created" };
}

const newPets = pickColumns(tables.pets, newPetFields);
const { idempotencyKeys } = tables;
const newKeys = pickColumns(idempotencyKeys, ["caller", "key", "fingerprint", "createdAtMs"]);
const toKeyRow = createRowWriter(newKeys);
const toKey = createRecordReader<KeyOfCreate>(newKeys);
const toRecord = createRecordReader<IdempotencyKeyRecord>(idempotencyKeys);

/**
 * SQL that inserts the items of a JSON list. The parameters are the id for the first item, and the list.
 * @param paths where an item has the value of each column
 */
function insertItems(table: Table, idColumn: string, paths: string[]): string {
	const values = paths.map((path) => `json_extract(value, '$${path}')`);
	return `INSERT INTO ${table.name} (${idColumn}, ${columnList(table)})
		SELECT ? + key, ${values.join(", ")} FROM jsonb_each('[' || ? || ']') WHERE type <> 'null'`;
}

/** @returns a function that adds the creates of a batch, and must be called in a transaction */
export function prepareCreates(database: Database.Database): (creates: SentCreates) => CreatedBatch {
	/** Reads the id that SQLite would assign next. */
	const nextId = database
		.prepare<[], bigint>(
			`SELECT 1 + max(
				(SELECT coalesce(max(id), 0) FROM pets),
				(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'pets'))`,
		)
		.pluck()
		.safeIntegers();
	const addPets = database.prepare(
		insertItems(
			newPets,
			"id",
			newPetFields.map((field) => `.${field}`),
		),
	);
	const addKeys = database.prepare(
		insertItems(
			newKeys,
			"pet_id",
			columnNames(newKeys).map((_, index) => `[${index}]`),
		),
	);
	const given = "(SELECT value ->> 0, value ->> 1 FROM jsonb_each('[' || ? || ']'))";
	const dropExpiredKeys = database.prepare(
		`DELETE FROM idempotency_keys WHERE (caller, key) IN ${given} AND created_at_ms <= ?`,
	);
	const takenKeys = database
		.prepare<unknown[], unknown[]>(
			`SELECT ${columnNames(idempotencyKeys).join(", ")} FROM idempotency_keys WHERE (caller, key) IN ${given}`,
		)
		.safeIntegers()
		.raw();

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
		const take = (items: string) => {
			const all = items.split(separator);
			return added.map((place) => all[place]).join(separator);
		};
		addKeys.run(firstId, take(keys));
		addPets.run(firstId, take(pets));
		return { firstId, results };
	};
}
