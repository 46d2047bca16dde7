// Creates over PostgreSQL: a batch is one transaction, its ids come from the counter row, and its retry keys are looked up and
// kept while that row is held.

import type pg from "pg";
import { idempotencyHours } from "../contract/operations.ts";
import type { NewPet, Pet, PetStatus } from "../contract/pet.ts";
import { untilCommitted } from "./postgres-errors.ts";
import type { Created, RetryKey } from "./store.ts";

const idempotencyMs = idempotencyHours * 3_600_000;

export interface PetRow {
	id: bigint;
	name: string;
	category_id: bigint;
	status: PetStatus | null;
}

export function toPet({ id, name, category_id: categoryId, status }: PetRow): Pet {
	return status === null ? { id, name, categoryId } : { id, name, categoryId, status };
}

export interface Create {
	pet: NewPet;
	retry: RetryKey | undefined;
	nowMs: number;
}

const begin = { name: "begin", text: "BEGIN" };
const commit = { name: "commit", text: "COMMIT" };
const lockCounter = { name: "lockCounter", text: "SELECT last_id FROM counters WHERE name = 'pets' FOR UPDATE" };
const addPets = {
	name: "addPets",
	text: `WITH counter AS (
		UPDATE counters SET last_id = last_id + $1 WHERE name = 'pets' RETURNING last_id - $1 AS last_before
	), added AS (
		INSERT INTO pets (id, name, category_id, status)
		SELECT counter.last_before + given.place, given.name, given.category_id, given.status
		FROM counter, unnest($2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS given (name, category_id, status, place)
	)
	SELECT last_before + 1 AS first_id FROM counter`,
};
const knownRetries = {
	name: "knownRetries",
	text: `SELECT r.caller, r.key, p.id, p.name, p.category_id, p.status
	FROM unnest($1::text[], $2::text[]) AS given (caller, key)
	JOIN retries r ON r.caller = given.caller AND r.key = given.key JOIN pets p ON p.id = r.pet_id
	WHERE r.created_at_ms > $3`,
};
const addRetries = {
	name: "addRetries",
	text: `INSERT INTO retries (caller, key, pet_id, created_at_ms)
	SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
	ON CONFLICT (caller, key) DO UPDATE SET pet_id = excluded.pet_id, created_at_ms = excluded.created_at_ms`,
};

/**
 * Makes a batch one transaction. The counter row is held until the commit, so ids ascend in commit order over all nodes.
 * A batch that the server rolled back is tried again; one whose fate is unknown is not (its callers see 503, and settle
 * it with their Idempotency-Key).
 */
export function createAll(pool: pg.Pool, batch: Create[]): Promise<Created[]> {
	const isPlain = batch.every(({ retry }) => !retry);
	return untilCommitted(() => (isPlain ? createPlain(pool, batch) : createWithRetries(pool, batch)));
}

/** One statement, which is its own transaction. */
async function createPlain(pool: Pick<pg.Pool, "query">, batch: Create[]): Promise<Created[]> {
	const firstId = await addAll(
		pool,
		batch.map(({ pet }) => pet),
	);
	return batch.map((_, index) => ({ id: firstId + BigInt(index), outcome: "created" }));
}

/** @returns the id of the first; the others follow it */
async function addAll(client: Pick<pg.Pool, "query">, pets: NewPet[]): Promise<bigint> {
	const values = [
		pets.length,
		pets.map(({ name }) => name),
		pets.map(({ categoryId }) => categoryId),
		pets.map(({ status = null }) => status),
	];
	const { rows } = await client.query({ ...addPets, values });
	return rows[0].first_id;
}

/** Two turns to the server: the lock and what the keys stand for; the rows and the commit. */
async function createWithRetries(pool: pg.Pool, batch: Create[]): Promise<Created[]> {
	const client = await pool.connect();
	let isBroken = true;
	try {
		const retries = batch.flatMap(({ retry }) => retry ?? []);
		const sinceMs = Math.min(...batch.map(({ nowMs }) => nowMs)) - idempotencyMs;
		const given = [retries.map(({ caller }) => caller), retries.map(({ key }) => key), sinceMs];
		const [, , { rows }] = await Promise.all([
			client.query(begin),
			client.query(lockCounter),
			client.query({ ...knownRetries, values: given }),
		]);
		const { fresh, settle } = plan(batch, rows);
		if (fresh.length === 0) {
			await client.query(commit);
			isBroken = false;
			return settle(0n);
		}
		const firstId = await addAll(
			client,
			fresh.map(({ pet }) => pet),
		);
		const keyed = fresh.flatMap(({ retry, nowMs }, index) =>
			retry ? [{ ...retry, id: firstId + BigInt(index), nowMs }] : [],
		);
		const kept = [
			keyed.map(({ caller }) => caller),
			keyed.map(({ key }) => key),
			keyed.map(({ id }) => id),
			keyed.map(({ nowMs }) => nowMs),
		];
		await Promise.all([client.query({ ...addRetries, values: kept }), client.query(commit)]);
		isBroken = false;
		return settle(firstId);
	} finally {
		// A connection with an open transaction is closed, which rolls it back.
		client.release(isBroken);
	}
}

interface Plan {
	/** The creates that make an animal, in order. */
	fresh: Create[];
	/** Everybody's outcome, once the id of the first fresh animal is known. */
	settle(firstId: bigint): Created[];
}

function plan(batch: Create[], known: (PetRow & RetryKey)[]): Plan {
	const nameOf = ({ caller, key }: RetryKey) => `${caller} ${key}`;
	const kept = new Map(known.map((row) => [nameOf(row), toPet(row)]));
	const fresh: Create[] = [];
	const places = new Map<string, number>();
	const outcomes = batch.map((create): ((firstId: bigint) => Created) => {
		const name = create.retry && nameOf(create.retry);
		const pet = name === undefined ? undefined : kept.get(name);
		if (pet) return () => ({ id: pet.id, outcome: isSame(pet, create.pet) ? "replayed" : "reused" });
		const place = name === undefined ? undefined : places.get(name);
		const first = place === undefined ? undefined : fresh[place];
		if (place !== undefined && first) {
			return (firstId) => ({
				id: firstId + BigInt(place),
				outcome: isSame(first.pet, create.pet) ? "replayed" : "reused",
			});
		}
		const own = fresh.push(create) - 1;
		if (name !== undefined) places.set(name, own);
		return (firstId) => ({ id: firstId + BigInt(own), outcome: "created" });
	});
	return { fresh, settle: (firstId) => outcomes.map((outcome) => outcome(firstId)) };
}

function isSame(one: NewPet, other: NewPet): boolean {
	return one.name === other.name && one.categoryId === other.categoryId && one.status === other.status;
}
