// Creates in PostgreSQL. One statement inserts a batch, with ids from the counter row, and its Idempotency-Keys. Used
// keys are read before, so that the lock on the counter is not held over a round trip.

import type pg from "pg";
import { type Create, idempotencyMs, planBatch, type RecordedCreate } from "../idempotency.ts";
import { type CreateResult, type IdempotencyKey, StoreUpgraded } from "../store.ts";
import { columnList, columnsOf, createRowWriter, tables } from "../tables.ts";
import { schemaMax } from "./migrate.ts";
import type { Retry } from "./retries.ts";

const { pets, idempotencyKeys } = tables;
const toPetRow = createRowWriter(pets);
/** The columns of a create; the id comes from the counter. */
const newPetColumns = columnsOf(pets).slice(1);
const newPetNames = newPetColumns.map(({ name }) => name);
const newPetArrays = newPetColumns.map(({ type }, index) => `$${index + 2}::${type}[]`);

/**
 * Assigns the ids and inserts the animals. The counter row stays locked until the statement's commit. Without effect in
 * a store with a newer schema.
 */
const addAnimals = `counter AS (
		UPDATE counters SET last_id = last_id + $1
		WHERE name = 'pets' AND (SELECT version FROM schema_version) <= ${schemaMax} RETURNING last_id - $1 AS last_before
	), added AS (
		INSERT INTO pets (${columnList(pets)})
		SELECT counter.last_before + given.place, ${newPetNames.map((name) => `given.${name}`).join(", ")}
		FROM counter, unnest(${newPetArrays.join(", ")}) WITH ORDINALITY AS given (${newPetNames.join(", ")}, place)
	)`;
const addPets = { name: "addPets", text: `WITH ${addAnimals} SELECT last_before + 1 AS first_id FROM counter` };

const keyArrays = ["text", "text", "bigint", "text", "bigint"].map(
	(type, index) => `$${newPetColumns.length + 2 + index}::${type}[]`,
);
/** If another batch has used a key meanwhile, the statement fails with a unique violation and stores nothing. */
const addPetsWithKeys = {
	name: "addPetsWithKeys",
	text: `WITH ${addAnimals}, kept AS (
		INSERT INTO idempotency_keys (${columnList(idempotencyKeys)})
		SELECT given.caller, given.key, counter.last_before + given.place, given.fingerprint, given.created_at_ms
		FROM counter, unnest(${keyArrays.join(", ")}) AS given (caller, key, place, fingerprint, created_at_ms)
	)
	SELECT last_before + 1 AS first_id FROM counter`,
};
/** The primary key, and so on a distributed engine the column to distribute by is `caller` or both. */
const isGivenKey = "(caller, key) IN (SELECT * FROM unnest($1::text[], $2::text[]))";
const takenKeys = {
	name: "takenKeys",
	text: `SELECT caller, key, pet_id, fingerprint, created_at_ms > $3 AS is_valid
	FROM idempotency_keys WHERE ${isGivenKey}`,
};
const dropExpiredKeys = {
	name: "dropExpiredKeys",
	text: `DELETE FROM idempotency_keys WHERE ${isGivenKey} AND created_at_ms <= $3`,
};

/**
 * Commits a batch in one transaction; ids ascend in commit order on all nodes. A batch that the server rolled back is
 * retried. A batch with an unknown result is not: its callers get 503 and can retry with their Idempotency-Key.
 */
export function createAll(pool: pg.Pool, retry: Retry, batch: Create[]): Promise<CreateResult[]> {
	const isPlain = batch.every(({ idempotencyKey }) => !idempotencyKey);
	return retry(() => (isPlain ? createPlain(pool, batch) : createWithKeys(pool, batch)));
}

async function createPlain(pool: pg.Pool, batch: Create[]): Promise<CreateResult[]> {
	const firstId = await addBatch(pool, { ...addPets, values: petArrays(batch) });
	return batch.map((_, index) => ({ id: firstId + BigInt(index), outcome: "created" }));
}

async function createWithKeys(pool: pg.Pool, batch: Create[]): Promise<CreateResult[]> {
	const { newCreates, keys, toResults } = planBatch(batch, await readTakenKeys(pool, batch));
	if (newCreates.length === 0) return toResults(0n);
	const values = [
		...petArrays(newCreates),
		keys.map(({ caller }) => caller),
		keys.map(({ key }) => key),
		keys.map(({ place }) => place),
		keys.map(({ fingerprint }) => fingerprint),
		keys.map(({ createdAtMs }) => createdAtMs),
	];
	return toResults(await addBatch(pool, { ...addPetsWithKeys, values }));
}

/** @returns the id of the first animal @throws StoreUpgraded */
async function addBatch(pool: pg.Pool, statement: pg.QueryConfig): Promise<bigint> {
	const { rows } = await pool.query(statement);
	if (rows.length === 0) throw new StoreUpgraded();
	return rows[0].first_id;
}

/** The used keys of a batch with their creates. Removes those that have expired. */
async function readTakenKeys(pool: pg.Pool, batch: Create[]): Promise<(IdempotencyKey & RecordedCreate)[]> {
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
	const rows = creates.map(({ pet }) => toPetRow(pet));
	return [creates.length, ...newPetColumns.map((_, index) => rows.map((row) => row[index + 1]))];
}
