// Decides the result of creates with Idempotency-Keys: a new animal, a replay of an earlier create, or a key that was
// already used for another animal. Pure functions, for both engines.

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

export type RecordedCreate = Pick<IdempotencyKeyRecord, "petId" | "fingerprint" | "createdAtMs">;

/** Fields that were added after the format of the fingerprint was fixed. */
const laterFields = newPetFields.filter((field) => !["name", "categoryId", "status"].includes(field));

/**
 * Two requests have the same fingerprint exactly when they create the same animal: SHA-256 of `categoryId status name`.
 * `categoryId` and `status` contain no spaces, and `-` stands for an absent status. Later fields are appended if
 * present, each after a U+0000, which a name cannot contain.
 */
export function fingerprintOf(pet: NewPet): string {
	const { name, categoryId, status } = pet;
	const later = laterFields.map((field) => (pet[field] === undefined ? "" : `\0${field}\0${pet[field]}`));
	return hash("sha256", `${categoryId} ${status ?? "-"} ${name}${later.join("")}`);
}

/** Replaces the fingerprint of a create whose animal was removed: a hash of the name could confirm a guess. */
export const erasedFingerprint = "";

/**
 * The result of a create whose key was used before. If its animal was removed, any request with the key is a repeat.
 */
export function resolveRepeat({ petId, fingerprint, createdAtMs }: RecordedCreate, own: string): ImportedPet {
	const isRemoved = fingerprint === erasedFingerprint;
	const outcome = fingerprint === own || isRemoved ? "replayed" : "reused";
	return { id: petId, outcome, earlier: { atMs: createdAtMs, isRemoved } };
}

/**
 * @param taken the keys of the batch that were used before the batch, with the creates that used them
 * @param firstId the id of the batch's first new animal
 * @returns the creates that add an animal, in order; the keys to store, where `place` is the position of the key's
 * create among these creates, from 1; and the result of each create of the batch
 */
export function planBatch(batch: Create[], taken: (IdempotencyKey & RecordedCreate)[], firstId = 1n) {
	const nameOf = ({ caller, key }: IdempotencyKey) => `${caller} ${key}`;
	const used = new Map(taken.map((create): [string, RecordedCreate] => [nameOf(create), create]));
	const newCreates: Create[] = [];
	const keys: (Omit<IdempotencyKeyRecord, "petId"> & { place: number })[] = [];
	const results = batch.map((create): ImportedPet => {
		const { pet, idempotencyKey, nowMs } = create;
		const petId = firstId + BigInt(newCreates.length);
		if (idempotencyKey) {
			const fingerprint = fingerprintOf(pet);
			const before = used.get(nameOf(idempotencyKey));
			if (before) return resolveRepeat(before, fingerprint);
			used.set(nameOf(idempotencyKey), { petId, fingerprint, createdAtMs: nowMs });
			keys.push({ ...idempotencyKey, place: newCreates.length + 1, fingerprint, createdAtMs: nowMs });
		}
		newCreates.push(create);
		return { id: petId, outcome: "created" };
	});
	return { newCreates, keys, results };
}
