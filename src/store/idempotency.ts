// What becomes of creates with Idempotency-Keys: which of them make an animal, which repeat an earlier create, and which use its
// key for another animal. Pure, for both engines.

import { hash } from "node:crypto";
import { idempotencyHours } from "../contract/operations.ts";
import type { NewPet } from "../contract/pet.ts";
import type { Created, RetryKey } from "./store.ts";

/** How long an Idempotency-Key stands for its animal. */
export const idempotencyMs = idempotencyHours * 3_600_000;

/** How many keys that have expired are removed at once: it bounds the time that writers wait for it. */
export const sweepRows = 10_000;

export interface Create {
	pet: NewPet;
	retry: RetryKey | undefined;
	nowMs: number;
}

/** What an Idempotency-Key stands for. */
export interface Meaning {
	petId: bigint;
	/** Of the request that made the animal, whatever became of the animal since. */
	fingerprint: string;
}

/**
 * Equal for requests for the same animal, and for no others: SHA-256 of `categoryId status name`. The first two have no spaces,
 * and an absent status is `-`, which no status is. The migrations 002 compute the same in SQL.
 */
export function fingerprintOf({ name, categoryId, status }: NewPet): string {
	return hash("sha256", `${categoryId} ${status ?? "-"} ${name}`);
}

/** What becomes of a create whose key is taken. */
export function repeated({ petId, fingerprint }: Meaning, own: string): Created {
	return { id: petId, outcome: fingerprint === own ? "replayed" : "reused" };
}

export interface Plan {
	/** The creates that make an animal, in order. */
	fresh: Create[];
	/** The keys that come to stand for them; `place` is that of the animal, from 1. */
	keys: (RetryKey & { place: number; fingerprint: string; createdAtMs: number })[];
	/** What became of each create of the batch, once the id of the first animal is known. */
	settle(firstId: bigint): Created[];
}

/** @param taken what those keys of the batch stand for that were used before it */
export function planBatch(batch: Create[], taken: (RetryKey & Meaning)[]): Plan {
	const nameOf = ({ caller, key }: RetryKey) => `${caller} ${key}`;
	const takenBefore = new Map(taken.map((row) => [nameOf(row), row]));
	const takenHere = new Map<string, Plan["keys"][number]>();
	const fresh: Create[] = [];
	const outcomes = batch.map((create): ((firstId: bigint) => Created) => {
		const { pet, retry, nowMs } = create;
		if (retry) {
			const name = nameOf(retry);
			const fingerprint = fingerprintOf(pet);
			const before = takenBefore.get(name);
			if (before) return () => repeated(before, fingerprint);
			const here = takenHere.get(name);
			if (here) {
				const { place, fingerprint: first } = here;
				return (firstId) => repeated({ petId: idAt(firstId, place), fingerprint: first }, fingerprint);
			}
			takenHere.set(name, { ...retry, place: fresh.length + 1, fingerprint, createdAtMs: nowMs });
		}
		const place = fresh.push(create);
		return (firstId) => ({ id: idAt(firstId, place), outcome: "created" });
	});
	return { fresh, keys: [...takenHere.values()], settle: (firstId) => outcomes.map((outcome) => outcome(firstId)) };
}

const idAt = (firstId: bigint, place: number) => firstId + BigInt(place - 1);
