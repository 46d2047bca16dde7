// Decides the result of a create with an Idempotency-Key, for both engines: a new animal, a replay, or a reused key.

import { hash } from "node:crypto";
import { idempotencyHours } from "../contract/operations.ts";
import { type NewPet, newPetFields } from "../contract/pet.ts";
import type { Scan } from "./reads.ts";
import type { EarlierCreate, ImportedPet, KeyedCreate, Store } from "./store.ts";
import { columnNames, createRecordReader, type IdempotencyKey, type IdempotencyKeyRecord, tables } from "./tables.ts";

export const idempotencyMs = idempotencyHours * 3_600_000;

export interface Create {
	pet: NewPet;
	idempotencyKey: IdempotencyKey | undefined;
	/** See `IdempotencyKeyRecord`. */
	origin?: string | undefined;
	nowMs: number;
}

/** The stored Idempotency-Key of a create, without the animal's id, which is not known yet. */
export type KeyOfCreate = Omit<IdempotencyKeyRecord, "petId">;

export function keyOfCreate({ pet, idempotencyKey, origin, nowMs }: Create): KeyOfCreate | null {
	if (!idempotencyKey) return null;
	return { ...idempotencyKey, fingerprint: fingerprintOf(pet), createdAtMs: nowMs, ...(origin && { origin }) };
}

/** Fields that were added after the format of the fingerprint was fixed. */
const laterFields = newPetFields.filter((field) => !["name", "categoryId", "status"].includes(field));

/**
 * SHA-256 of `categoryId status name`, where `-` is an absent status. The hashes of two requests are equal if, and only
 * if, their animals are equal. Later fields are appended if present, each after a U+0000, which a name cannot contain.
 */
export function fingerprintOf(pet: NewPet): string {
	const { name, categoryId, status } = pet;
	const later = laterFields.map((field) => (pet[field] === undefined ? "" : `\0${field}\0${pet[field]}`));
	return hash("sha256", `${categoryId} ${status ?? "-"} ${name}${later.join("")}`);
}

/** Stored instead of a create's fingerprint when the animal is removed: a hash of the name could confirm a guess. */
export const erasedFingerprint = "";

/** The result of a create whose key was used before. It is always a replay if the earlier animal was removed. */
function resolveRepeat(record: IdempotencyKeyRecord, own: string): ImportedPet {
	const { petId: id, fingerprint } = record;
	const earlier = earlierOf(record);
	return { id, outcome: fingerprint === own || earlier.isRemoved ? "replayed" : "reused", earlier };
}

const toRecord = createRecordReader<IdempotencyKeyRecord>(tables.idempotencyKeys);

/** See `Store.listKeys`. @param sinceMs older keys have expired */
export async function listKeysOf(
	scan: Scan,
	[caller, { before, limit, start, isOther }]: Parameters<Store["listKeys"]>,
	sinceMs: number,
): Promise<KeyedCreate[]> {
	// No index has this coalesce, so PostgreSQL estimates that half of the rows match, and reads the rows in the order of
	// the index on pet_id. Without the coalesce, it would scan and sort all keys for each page.
	const rest = `FROM idempotency_keys WHERE pet_id < $3 AND coalesce(caller = $1 AND created_at_ms > $2
		AND substr(key, 1, $4) ${isOther ? "<>" : "="} $5, FALSE) ORDER BY pet_id DESC LIMIT ${limit}`;
	const values = [caller, sinceMs, before, start.length, start];
	const records = (await scan(columnNames(tables.idempotencyKeys), rest, values)).map(toRecord);
	return records.map((record) => ({ key: record.key, id: record.petId, ...earlierOf(record) }));
}

function earlierOf({ fingerprint, createdAtMs, origin }: IdempotencyKeyRecord): EarlierCreate {
	return { atMs: createdAtMs, isRemoved: fingerprint === erasedFingerprint, ...(origin && { origin }) };
}

/**
 * @param keys the key of each create of the batch
 * @param taken the keys of the batch that were used before the batch
 * @param firstId the id of the batch's first new animal
 * @returns the indexes in `keys` of the creates that add an animal, and the result of each create
 */
export function planBatch(keys: readonly (KeyOfCreate | null)[], taken: readonly IdempotencyKeyRecord[], firstId = 1n) {
	const nameOf = ({ caller, key }: IdempotencyKey) => `${caller} ${key}`;
	const used = new Map(taken.map((record) => [nameOf(record), record]));
	const added: number[] = [];
	const results = keys.map((key, index): ImportedPet => {
		const before = key && used.get(nameOf(key));
		if (before) return resolveRepeat(before, key.fingerprint);
		const petId = firstId + BigInt(added.length);
		if (key) used.set(nameOf(key), { ...key, petId });
		added.push(index);
		return { id: petId, outcome: "created" };
	});
	return { added, results };
}
