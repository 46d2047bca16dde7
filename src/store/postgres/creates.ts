// Creates over PostgreSQL: a batch is one statement, its ids come from the counter row, and its Idempotency-Keys are kept by the same
// statement. What the keys stand for already is looked up before, so that nobody waits for the counter over a round trip.

import type pg from "pg";
import type { NewPet } from "../../contract/pet.ts";
import { type Create, idempotencyMs, type Meaning, planBatch } from "../idempotency.ts";
import type { Created, RetryKey } from "../store.ts";
import type { UntilCommitted } from "./retries.ts";

/** Takes the ids and adds the animals. The row of the counter is held until the statement's commit. */
const addAnimals = `counter AS (
		UPDATE counters SET last_id = last_id + $1 WHERE name = 'pets' RETURNING last_id - $1 AS last_before
	), added AS (
		INSERT INTO pets (id, name, category_id, status)
		SELECT counter.last_before + given.place, given.name, given.category_id, given.status
		FROM counter, unnest($2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS given (name, category_id, status, place)
	)`;
const addPets = { name: "addPets", text: `WITH ${addAnimals} SELECT last_before + 1 AS first_id FROM counter` };
/** A key that another batch has taken meanwhile breaks the uniqueness of the table, and nothing of the statement is kept. */
const addPetsWithKeys = {
	name: "addPetsWithKeys",
	text: `WITH ${addAnimals}, kept AS (
		INSERT INTO idempotency_keys (caller, key, pet_id, fingerprint, created_at_ms)
		SELECT given.caller, given.key, counter.last_before + given.place, given.fingerprint, given.created_at_ms
		FROM counter, unnest($5::text[], $6::text[], $7::bigint[], $8::text[], $9::bigint[])
			AS given (caller, key, place, fingerprint, created_at_ms)
	)
	SELECT last_before + 1 AS first_id FROM counter`,
};
const takenKeys = {
	name: "takenKeys",
	text: `SELECT k.caller, k.key, k.pet_id, k.fingerprint, k.created_at_ms > $3 AS is_valid
	FROM unnest($1::text[], $2::text[]) AS given (caller, key)
	JOIN idempotency_keys k ON k.caller = given.caller AND k.key = given.key`,
};
const dropExpiredKeys = {
	name: "dropExpiredKeys",
	text: `DELETE FROM idempotency_keys k USING unnest($1::text[], $2::text[]) AS given (caller, key)
	WHERE k.caller = given.caller AND k.key = given.key AND k.created_at_ms <= $3`,
};

/**
 * Makes a batch one transaction; ids ascend in commit order over all nodes. A batch that the server rolled back is tried
 * again; one whose fate is unknown is not (its callers see 503, and settle it with their Idempotency-Key).
 */
export function createAll(pool: pg.Pool, untilCommitted: UntilCommitted, batch: Create[]): Promise<Created[]> {
	const isPlain = batch.every(({ retry }) => !retry);
	return untilCommitted(() => (isPlain ? createPlain(pool, batch) : createWithKeys(pool, batch)));
}

async function createPlain(pool: pg.Pool, batch: Create[]): Promise<Created[]> {
	const { rows } = await pool.query({ ...addPets, values: petColumns(batch.map(({ pet }) => pet)) });
	return batch.map((_, index) => ({ id: rows[0].first_id + BigInt(index), outcome: "created" }));
}

async function createWithKeys(pool: pg.Pool, batch: Create[]): Promise<Created[]> {
	const { fresh, keys, settle } = planBatch(batch, await lookUp(pool, batch));
	if (fresh.length === 0) return settle(0n);
	const values = [
		...petColumns(fresh.map(({ pet }) => pet)),
		keys.map(({ caller }) => caller),
		keys.map(({ key }) => key),
		keys.map(({ place }) => place),
		keys.map(({ fingerprint }) => fingerprint),
		keys.map(({ createdAtMs }) => createdAtMs),
	];
	const { rows } = await pool.query({ ...addPetsWithKeys, values });
	return settle(rows[0].first_id);
}

/** What the keys of a batch stand for. Those that have expired are free again when this resolves. */
async function lookUp(pool: pg.Pool, batch: Create[]): Promise<(RetryKey & Meaning)[]> {
	const given = batch.flatMap(({ retry }) => retry ?? []);
	const sinceMs = Math.min(...batch.map(({ nowMs }) => nowMs)) - idempotencyMs;
	const values = [given.map(({ caller }) => caller), given.map(({ key }) => key), sinceMs];
	const { rows }: pg.QueryResult<TakenKey> = await pool.query({ ...takenKeys, values });
	const valid = rows.filter(({ is_valid: isValid }) => isValid);
	if (valid.length < rows.length) await pool.query({ ...dropExpiredKeys, values });
	return valid.map(({ caller, key, pet_id: petId, fingerprint }) => ({ caller, key, petId, fingerprint }));
}

interface TakenKey extends RetryKey {
	pet_id: bigint;
	fingerprint: string;
	is_valid: boolean;
}

function petColumns(pets: NewPet[]): unknown[] {
	return [
		pets.length,
		pets.map(({ name }) => name),
		pets.map(({ categoryId }) => categoryId),
		pets.map(({ status = null }) => status),
	];
}
