// What becomes of creates with Idempotency-Keys: which of them make an animal, which repeat an earlier create, and
// which use its key for another animal. Pure, for both engines.

import { hash } from "node:crypto";
import { idempotencyHours } from "../contract/operations.ts";
import { type NewPet, newPetFields } from "../contract/pet.ts";
import type { IdempotencyKey, IdempotencyKeyRecord } from "./records.ts";
import type { Created } from "./store.ts";

/** How long an Idempotency-Key stands for its animal. */
export const idempotencyMs = idempotencyHours * 3_600_000;

/** How many keys that have expired are removed at once: it bounds the time that writers wait for it. */
export const sweepRows = 10_000;

export interface Create {
	pet: NewPet;
	idempotencyKey: IdempotencyKey | undefined;
	nowMs: number;
}

/** What an Idempotency-Key stands for. */
export type Meaning = Pick<IdempotencyKeyRecord, "petId" | "fingerprint">;

/** The fields that came after the fingerprint was settled. */
const laterFields = newPetFields.filter((field) => !["name", "categoryId", "status"].includes(field));

/**
 * Equal for requests for the same animal, and for no others: SHA-256 of `categoryId status name`. The first two have no
 * spaces, and an absent status is `-`, which no status is; the migrations 002 compute the same in SQL. A field that
 * came later follows where it is present, behind a U+0000, which no name holds.
 */
export function fingerprintOf(pet: NewPet): string {
	const { name, categoryId, status } = pet;
	const later = laterFields.map((field) => (pet[field] === undefined ? "" : `\0${field}\0${pet[field]}`));
	return hash("sha256", `${categoryId} ${status ?? "-"} ${name}${later.join("")}`);
}

/** What becomes of a create whose key is taken. */
export function repeated({ petId, fingerprint }: Meaning, own: string): Created {
	return { id: petId, outcome: fingerprint === own ? "replayed" : "reused" };
}

export interface Plan {
	/** The creates that make an animal, in order. */
	fresh: Create[];
	/** The keys that come to stand for them; `place` is that of the animal, from 1. */
	keys: (Omit<IdempotencyKeyRecord, "petId"> & { place: number })[];
	/** What became of each create of the batch, once the id of the first animal is known. */
	settle(firstId: bigint): Created[];
}

/** @param taken what those keys of the batch stand for that were used before it */
export function planBatch(batch: Create[], taken: (IdempotencyKey & Meaning)[]): Plan {
	const nameOf = ({ caller, key }: IdempotencyKey) => `${caller} ${key}`;
	const takenBefore = new Map(taken.map((row) => [nameOf(row), row]));
	const takenHere = new Map<string, Plan["keys"][number]>();
	const fresh: Create[] = [];
	const outcomes = batch.map((create): ((firstId: bigint) => Created) => {
		const { pet, idempotencyKey, nowMs } = create;
		if (idempotencyKey) {
			const name = nameOf(idempotencyKey);
			const fingerprint = fingerprintOf(pet);
			const before = takenBefore.get(name);
			if (before) return () => repeated(before, fingerprint);
			const here = takenHere.get(name);
			if (here) {
				const { place, fingerprint: first } = here;
				return (firstId) => repeated({ petId: idAt(firstId, place), fingerprint: first }, fingerprint);
			}
			takenHere.set(name, { ...idempotencyKey, place: fresh.length + 1, fingerprint, createdAtMs: nowMs });
		}
		const place = fresh.push(create);
		return (firstId) => ({ id: idAt(firstId, place), outcome: "created" });
	});
	return { fresh, keys: [...takenHere.values()], settle: (firstId) => outcomes.map((outcome) => outcome(firstId)) };
}

const idAt = (firstId: bigint, place: number) => firstId + BigInt(place - 1);
