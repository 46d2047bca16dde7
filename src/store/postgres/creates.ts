// Adds animals in PostgreSQL. One statement inserts a batch, with ids from the counter row, and its Idempotency-Keys.
// It also reads keys that were used before, because a second statement would take time and keep the counter locked.

import type pg from "pg";
import { type Create, idempotencyMs, keyOfCreate, planBatch } from "../idempotency.ts";
import { type ImportedPet, StoreUpgraded } from "../store.ts";
import {
	columnList,
	columnNames,
	columnsOf,
	createRecordReader,
	createRowWriter,
	type IdempotencyKeyRecord,
	type Row,
	tables,
} from "../tables.ts";
import { begin, durably, type NodePool } from "./connections.ts";
import type { Retry } from "./errors.ts";
import { schemaMax } from "./migrate.ts";
import { rowsOf } from "./transaction.ts";

const { pets, idempotencyKeys } = tables;
const toPetRow = createRowWriter(pets);
const toRecord = createRecordReader<IdempotencyKeyRecord>(idempotencyKeys);
/** The columns that a create fills; the id comes from the counter. */
const newPetColumns = columnsOf(pets).slice(1);
const newPetNames = newPetColumns.map(({ name }) => name);
const newPetArrays = newPetColumns.map(({ type }, index) => `$${index + 2}::${type}[]`);

/**
 * Assigns the ids and inserts the animals. The counter row stays locked until the commit. Does nothing in a store with
 * a newer schema.
 * @param isDurable SQL that makes the commit durable; empty if the commit is durable already
 * @param count SQL for the number of animals to add; it may refer to rows that are read before the lock
 */
const addAnimals = (isDurable: string, count: string, from = "") => `counter AS (
		UPDATE counters SET last_id = last_id + ${count} ${from}
		WHERE name = 'pets' AND (SELECT version FROM schema_version) <= ${schemaMax} ${isDurable}
		RETURNING last_id - ${count} AS last_before, ${count} AS animals
	), added AS (
		INSERT INTO pets (${columnList(pets)})
		SELECT counter.last_before + given.ordinal, ${newPetNames.map((name) => `given.${name}`).join(", ")}
		FROM counter, unnest(${newPetArrays.join(", ")}) WITH ORDINALITY AS given (${newPetNames.join(", ")}, ordinal)
		WHERE counter.animals > 0
	)`;
const addPets = (isDurable: string) => `WITH ${addAnimals(isDurable, "$1")}
	SELECT last_before + 1 AS first_id FROM counter`;

const keyParameter = newPetColumns.length + 2;
const keyFields = ["caller", "key", "ordinal", "fingerprint", "createdAtMs", "origin"] as const;
const keyArrays = ["text", "text", "bigint", "text", "bigint", "text"].map(
	(type, index) => `$${keyParameter + index}::${type}[]`,
);
const sinceParameter = `$${keyParameter + keyArrays.length}`;
/** Compares the whole primary key, because an engine may distribute the table by `caller` or by both columns. */
const isGivenKey = ([callers, keys]: string[]) => `(caller, key) IN (SELECT * FROM unnest(${callers}, ${keys}))`;
const takenColumns = [...columnNames(idempotencyKeys), "is_valid"];
const newAnimals = "SELECT CASE count(*) WHEN 0 THEN $1 ELSE 0 END AS animals FROM taken";
/**
 * If keys were used before, returns them and stores nothing. Even then, its commit waits for a standby: the commit that
 * stored the keys may not have. Fails with a unique violation if another batch uses a key at the same time.
 */
const addPetsWithKeys = (isDurable: string) => `WITH taken AS (
		SELECT ${columnList(idempotencyKeys)}, created_at_ms > ${sinceParameter} AS is_valid
		FROM idempotency_keys WHERE ${isGivenKey(keyArrays)}
	), ${addAnimals(isDurable, "new.animals", `FROM (${newAnimals}) AS new`)}, stored AS (
		INSERT INTO idempotency_keys (${columnList(idempotencyKeys)})
		SELECT given.caller, given.key, counter.last_before + given.ordinal, given.fingerprint, given.created_at_ms,
			given.origin
		FROM counter, unnest(${keyArrays.join(", ")}) AS given (caller, key, ordinal, fingerprint, created_at_ms, origin)
		WHERE counter.animals > 0
	)
	SELECT last_before + 1 AS first_id, ${takenColumns.map((name) => `NULL AS ${name}`).join(", ")}
	FROM counter WHERE animals > 0 UNION ALL SELECT NULL, ${takenColumns.join(", ")} FROM taken`;

interface Statements {
	addPets: { name: string; text: string };
	addPetsWithKeys: { name: string; text: string };
}

const isDurable = `AND ${durably} <> ''`;
/** Each statement is a transaction of its own. */
const alone: Statements = {
	addPets: { name: "addPets", text: addPets(isDurable) },
	addPetsWithKeys: { name: "addPetsWithKeys", text: addPetsWithKeys(isDurable) },
};
/** For use after BEGIN. If Citus has placed a table, a statement that writes to it cannot also change a setting. */
const within: Statements = {
	addPets: { name: "addPetsWithin", text: addPets("") },
	addPetsWithKeys: { name: "addPetsWithKeysWithin", text: addPetsWithKeys("") },
};
const dropExpiredKeys = {
	name: "dropExpiredKeys",
	text: `DELETE FROM idempotency_keys WHERE ${isGivenKey(["$1::text[]", "$2::text[]"])} AND created_at_ms <= $3`,
};

/**
 * Commits a batch in one transaction; ids ascend in commit order on all nodes. A batch that the server rolled back is
 * retried. A batch with an unknown result is not retried: its callers get 503 and can retry with their Idempotency-Key.
 * @param isPlaced whether Citus has placed the tables (`refuseUnsafe`)
 */
export function createAll(
	pool: NodePool,
	retry: Retry,
	batch: Create[],
	isPlaced = () => false,
): Promise<ImportedPet[]> {
	const isPlain = batch.every(({ idempotencyKey }) => !idempotencyKey);
	const create = isPlain ? createPlain : createWithKeys;
	const createWithin = async (client: pg.PoolClient) => {
		await client.query(`${begin}; SELECT ${durably}`);
		const created = await create(client, batch, within);
		await client.query("COMMIT");
		return created;
	};
	return retry(() => pool.run((client) => (isPlaced() ? createWithin(client) : create(client, batch, alone))));
}

async function createPlain(client: pg.PoolClient, batch: Create[], { addPets }: Statements): Promise<ImportedPet[]> {
	const firstId = firstIdOf(await rowsOf(client, { ...addPets, values: petArrays(batch) }));
	return batch.map((_, index) => ({ id: firstId + BigInt(index), outcome: "created" }));
}

/** Tries to add the whole batch. If some of its keys were used before, tries again with only the other creates. */
async function createWithKeys(
	client: pg.PoolClient,
	batch: Create[],
	{ addPetsWithKeys }: Statements,
): Promise<ImportedPet[]> {
	const sinceMs = Math.min(...batch.map(({ nowMs }) => nowMs)) - idempotencyMs;
	const batchKeys = batch.map(keyOfCreate);
	const taken: IdempotencyKeyRecord[] = [];
	for (;;) {
		const { added, results } = planBatch(batchKeys, taken);
		if (added.length === 0) return results;
		const keys = added.flatMap((at, index) => {
			const { [at]: key } = batchKeys;
			return key ? { ...key, ordinal: index + 1 } : [];
		});
		const keyColumns = keyFields.map((field) => keys.map((key) => key[field]));
		const values = [...petArrays(added.map((at) => batch[at] as Create)), ...keyColumns, sinceMs];
		const rows = await rowsOf(client, { ...addPetsWithKeys, values });
		const found = rows.filter(([firstId]) => firstId === null);
		if (found.length === 0) return planBatch(batchKeys, taken, firstIdOf(rows)).results;
		const valid = found.filter((row) => row.at(-1));
		if (valid.length < found.length)
			await client.query({ ...dropExpiredKeys, values: [...keyColumns.slice(0, 2), sinceMs] });
		taken.push(...valid.map((row) => toRecord(row.slice(1))));
	}
}

function firstIdOf([row]: Row[]): bigint {
	const firstId = row?.[0];
	if (typeof firstId !== "bigint") throw new StoreUpgraded();
	return firstId;
}

/** The values of a statement: the number of animals, then an array of values for each column. */
function petArrays(creates: Create[]): unknown[] {
	const rows = creates.map(({ pet }) => toPetRow(pet));
	return [creates.length, ...newPetColumns.map((_, index) => rows.map((row) => row[index + 1]))];
}
