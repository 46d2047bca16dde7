// Sends the creates of a batch to the writer thread, adds them to the database, and returns their results. The thread
// receives one string and returns one id for all animals: copying objects would take longer than adding the rows.

import type Database from "better-sqlite3";
import { newPetFields, petJson } from "../../contract/pet.ts";
import { type Create, fingerprintOf, idempotencyMs, type RecordedCreate, resolveRepeat } from "../idempotency.ts";
import type { ImportedPet } from "../store.ts";
import { columnList, columnsOf, createRowWriter, type IdempotencyKeyRecord, pickColumns, tables } from "../tables.ts";

/**
 * A create as the writer thread gets it: the animal as JSON. If there is an Idempotency-Key, the key's record precedes
 * the JSON, beginning with the caller; U+0000, which no part contains, separates the parts.
 */
export type CreateRequest = string;
const separator = "\0";

/** Joins the creates of a batch, one per line: sending many strings takes several times as long. */
export function toLines(requests: readonly CreateRequest[]): string {
	return requests.join("\n");
}

/** The results of a batch. */
export interface CreatedBatch {
	/** The id of the batch's first new animal. Its other new animals have the next ids, in the order of the batch. */
	firstId: bigint;
	/** The results of the creates that added no animal, by the create's place in the batch. */
	repeats: Map<number, ImportedPet>;
}

const newPets = pickColumns(tables.pets, newPetFields);
const toIdempotencyKeyRow = createRowWriter(tables.idempotencyKeys);

export function toCreateRequest({ pet, idempotencyKey, nowMs }: Create): CreateRequest {
	const json = petJson(pet);
	if (!idempotencyKey) return json;
	return [idempotencyKey.caller, idempotencyKey.key, fingerprintOf(pet), nowMs, json].join(separator);
}

/** Yields the results of the creates of a batch, in order. */
export function* createResults({ firstId, repeats }: CreatedBatch): Generator<ImportedPet, never> {
	let nextId = firstId;
	for (let place = 0; ; place++) yield repeats.get(place) ?? { id: nextId++, outcome: "created" };
}

/** @returns a function that adds the creates of a batch (`toLines`), and must be called in a transaction */
export function prepareCreates(database: Database.Database): (lines: string) => CreatedBatch {
	/** Reads the id that SQLite would assign next. */
	const nextId = database
		.prepare<[], bigint>(
			`SELECT 1 + max(
				(SELECT coalesce(max(id), 0) FROM pets),
				(SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'pets'))`,
		)
		.pluck()
		.safeIntegers();
	const values = newPetFields.map((field) => `value ->> '${field}'`);
	const addPets = database.prepare(
		`INSERT INTO pets (id, ${columnList(newPets)}) SELECT ? + key, ${values.join(", ")} FROM jsonb_each(?)`,
	);
	const takenKey = database
		.prepare<unknown[], RecordedCreate>(
			`SELECT pet_id AS petId, fingerprint, created_at_ms AS createdAtMs FROM idempotency_keys
			WHERE caller = ? AND key = ?`,
		)
		.safeIntegers();
	const { idempotencyKeys } = tables;
	const places = columnsOf(idempotencyKeys).map(() => "?");
	/** Does nothing if the key is already used and has not expired. */
	const addKey = database.prepare(
		`INSERT INTO idempotency_keys (${columnList(idempotencyKeys)}) VALUES (${places.join(", ")})
		ON CONFLICT (caller, key) DO UPDATE SET
		pet_id = excluded.pet_id, fingerprint = excluded.fingerprint, created_at_ms = excluded.created_at_ms
		WHERE created_at_ms <= excluded.created_at_ms - ${idempotencyMs}`,
	);

	/** Stores the key for the record's animal. @returns the earlier result if the key was already used */
	function takeKey(record: IdempotencyKeyRecord): ImportedPet | undefined {
		const { caller, key, fingerprint } = record;
		if (addKey.run(...toIdempotencyKeyRow(record)).changes === 1) return undefined;
		const taken = takenKey.get(caller, key) as RecordedCreate;
		return resolveRepeat({ ...taken, createdAtMs: Number(taken.createdAtMs) }, fingerprint);
	}

	return (lines) => {
		const requests: CreateRequest[] = lines === "" ? [] : lines.split("\n");
		const firstId = nextId.get() ?? 1n;
		const repeats: CreatedBatch["repeats"] = new Map();
		const added: string[] = [];
		for (const [place, request] of requests.entries()) {
			if (request.startsWith("{")) {
				added.push(request);
				continue;
			}
			const [caller = "", key = "", fingerprint = "", createdAtMs, pet = ""] = request.split(separator);
			const petId = firstId + BigInt(added.length);
			const repeat = takeKey({ caller, key, petId, fingerprint, createdAtMs: Number(createdAtMs) });
			if (repeat) repeats.set(place, repeat);
			else added.push(pet);
		}
		if (added.length > 0) addPets.run(firstId, `[${added.join()}]`);
		return { firstId, repeats };
	};
}
