// Decides for both engines the result of creates with Idempotency-Keys: a new animal, a replay, or a reused key.

import { hash } from "node:crypto";
import { idempotencyHours } from "../contract/operations.ts";
import { type NewPet, newPetFields } from "../contract/pet.ts";
import type { ImportedPet } from "./store.ts";
import type { IdempotencyKey, IdempotencyKeyRecord } from "./tables.ts";

export const idempotencyMs = idempotencyHours * 3_600_000;

/** The most expired keys that one sweep removes, so that a sweep delays other writes only briefly. */
export const sweepRows = 10_000;

export interface Create {
	pet: NewPet;
	idempotencyKey: IdempotencyKey | undefined;
	nowMs: number;
}

/** The Idempotency-Key of a create as it is stored, before its animal has an id. */
export type KeyOfCreate = Omit<IdempotencyKeyRecord, "petId">;

export function keyOfCreate({ pet, idempotencyKey, nowMs }: Create): KeyOfCreate | null {
	return idempotencyKey ? { ...idempotencyKey, fingerprint: fingerprintOf(pet), createdAtMs: nowMs } : null;
}

/** Fields that were added after the format of the fingerprint was fixed. */
const laterFields = newPetFields.filter((field) => !["name", "categoryId", "status"].includes(field));

/**
 * SHA-256 of `categoryId status name`, where `-` is an absent status: equal exactly for requests that create the same
 * animal. Later fields are appended if present, each after a U+0000, which a name cannot contain.
 */
export function fingerprintOf(pet: NewPet): string {
	const { name, categoryId, status } = pet;
	const later = laterFields.map((field) => (pet[field] === undefined ? "" : `\0${field}\0${pet[field]}`));
	return hash("sha256", `${categoryId} ${status ?? "-"} ${name}${later.join("")}`);
}

/** Replaces the fingerprint of a create whose animal was removed: a hash of the name could confirm a guess. */
export const erasedFingerprint = "";

/** The result of a create whose key was used. If that animal was removed, any request with the key is a repeat. */
function resolveRepeat({ petId, fingerprint, createdAtMs }: IdempotencyKeyRecord, own: string): ImportedPet {
	const isRemoved = fingerprint === erasedFingerprint;
	const outcome = fingerprint === own || isRemoved ? "replayed" : "reused";
	return { id: petId, outcome, earlier: { atMs: createdAtMs, isRemoved } };
}

/**
 * @param keys the key of each create of the batch
 * @param taken the keys of the batch that were used before the batch
 * @param firstId the id of the batch's first new animal
 * @returns the places in the batch of the creates that add an animal, and the result of each create
 */
export function planBatch(keys: readonly (KeyOfCreate | null)[], taken: readonly IdempotencyKeyRecord[], firstId = 1n) {
	const nameOf = ({ caller, key }: IdempotencyKey) => `${caller} ${key}`;
	const used = new Map(taken.map((record) => [nameOf(record), record]));
	const added: number[] = [];
	const results = keys.map((key, place): ImportedPet => {
		const before = key && used.get(nameOf(key));
		if (before) return resolveRepeat(before, key.fingerprint);
		const petId = firstId + BigInt(added.length);
		if (key) used.set(nameOf(key), { ...key, petId });
		added.push(place);
		return { id: petId, outcome: "created" };
	});
	return { added, results };
}
