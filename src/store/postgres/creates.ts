// Creates over PostgreSQL: a batch is one statement, its ids come from the counter row, and its Idempotency-Keys are
// kept by the same statement. What the keys stand for already is looked up before, so that nobody waits for the counter
// over a round trip.

import type pg from "pg";
import { type Create, idempotencyMs, type Meaning, planBatch } from "../idempotency.ts";
import type { Created, IdempotencyKey } from "../store.ts";
import { columnList, columnsOf, rowWriter, tables } from "../tables.ts";
import type { UntilCommitted } from "./retries.ts";

const { pets, idempotencyKeys } = tables;
const petRow = rowWriter(pets);
/** What a create gives; the id is taken from the counter. */
const given = columnsOf(pets).slice(1);
const givenNames = given.map(({ name }) => name);
const givenArrays = given.map(({ type }, index) => `$${index + 2}::${type}[]`);

/** Takes the ids and adds the animals. The row of the counter is held until the statement's commit. */
const addAnimals = `counter AS (
		UPDATE counters SET last_id = last_id + $1 WHERE name = 'pets' RETURNING last_id - $1 AS last_before
	), added AS (
		INSERT INTO pets (${columnList(pets)})
		SELECT counter.last_before + given.place, ${givenNames.map((name) => `given.${name}`).join(", ")}
		FROM counter, unnest(${givenArrays.join(", ")}) WITH ORDINALITY AS given (${givenNames.join(", ")}, place)
	)`;
const addPets = { name: "addPets", text: `WITH ${addAnimals} SELECT last_before + 1 AS first_id FROM counter` };

const keyArrays = ["text", "text", "bigint", "text", "bigint"].map(
	(type, index) => `$${given.length + 2 + index}::${type}[]`,
);
/**
 * A key that another batch has taken meanwhile breaks the uniqueness of the table, and nothing of the statement is
 * kept.
 */
const addPetsWithKeys = {
	name: "addPetsWithKeys",
	text: `WITH ${addAnimals}, kept AS (
		INSERT INTO idempotency_keys (${columnList(idempotencyKeys)})
		SELECT given.caller, given.key, counter.last_before + given.place, given.fingerprint, given.created_at_ms
		FROM counter, unnest(${keyArrays.join(", ")}) AS given (caller, key, place, fingerprint, created_at_ms)
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
 * Makes a batch one transaction; ids ascend in commit order over all nodes. A batch that the server rolled back is
 * tried again; one whose fate is unknown is not (its callers see 503, and settle it with their Idempotency-Key).
 */
export function createAll(pool: pg.Pool, untilCommitted: UntilCommitted, batch: Create[]): Promise<Created[]> {
	const isPlain = batch.every(({ idempotencyKey }) => !idempotencyKey);
	return untilCommitted(() => (isPlain ? createPlain(pool, batch) : createWithKeys(pool, batch)));
}

async function createPlain(pool: pg.Pool, batch: Create[]): Promise<Created[]> {
	const { rows } = await pool.query({ ...addPets, values: petArrays(batch) });
	return batch.map((_, index) => ({ id: rows[0].first_id + BigInt(index), outcome: "created" }));
}

async function createWithKeys(pool: pg.Pool, batch: Create[]): Promise<Created[]> {
	const { fresh, keys, settle } = planBatch(batch, await lookUp(pool, batch));
	if (fresh.length === 0) return settle(0n);
	const values = [
		...petArrays(fresh),
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
async function lookUp(pool: pg.Pool, batch: Create[]): Promise<(IdempotencyKey & Meaning)[]> {
	const keys = batch.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
	const sinceMs = Math.min(...batch.map(({ nowMs }) => nowMs)) - idempotencyMs;
	const values = [keys.map(({ caller }) => caller), keys.map(({ key }) => key), sinceMs];
	const { rows }: pg.QueryResult<TakenKey> = await pool.query({ ...takenKeys, values });
	const valid = rows.filter(({ is_valid: isValid }) => isValid);
	if (valid.length < rows.length) await pool.query({ ...dropExpiredKeys, values });
	return valid.map(({ caller, key, pet_id: petId, fingerprint }) => ({ caller, key, petId, fingerprint }));
}

interface TakenKey extends IdempotencyKey {
	pet_id: bigint;
	fingerprint: string;
	is_valid: boolean;
}

/** The number of animals, and an array for each column. */
function petArrays(creates: Create[]): unknown[] {
	const rows = creates.map(({ pet }) => petRow(pet));
	return [creates.length, ...given.map((_, index) => rows.map((row) => row[index + 1]))];
}
