// How PostgreSQL keeps API keys.

import type pg from "pg";
import type { KeyRow, KeyRows, NewSecret } from "../store.ts";
import { turnBatch } from "../turn-batch.ts";
import type { Query } from "./pool.ts";
import type { UntilCommitted } from "./retries.ts";

const columns = `SELECT k.id, k.name, k.scopes, k.rate, k.created_at_ms, k.revoked_at_ms, k.last_used_at_ms,
	k.get_pet_used_at_ms, s.hash, s.last4, s.created_at_ms AS secret_created_at_ms, s.expires_at_ms
	FROM keys k JOIN secrets s ON s.key_id = k.id`;
const byHashes = { name: "keysByHash", text: `${columns} WHERE s.hash = ANY($1::text[])` };
const newest = {
	name: "keysNewest",
	text: `${columns} WHERE s.number = (SELECT max(number) FROM secrets WHERE key_id = k.id) ORDER BY k.created_at_ms, k.id`,
};
const addKey = {
	name: "addKey",
	text: "INSERT INTO keys (id, name, scopes, rate, created_at_ms) VALUES ($1, $2, $3, $4, $5)",
};
const addSecret = {
	name: "addSecret",
	text: `INSERT INTO secrets (hash, key_id, number, last4, created_at_ms, expires_at_ms)
	SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5 FROM secrets WHERE key_id = $2`,
};
const endSecrets = {
	name: "endSecrets",
	text: "UPDATE secrets SET expires_at_ms = least(expires_at_ms, $1) WHERE key_id = $2",
};
const revoke = {
	name: "revokeKey",
	text: "UPDATE keys SET revoked_at_ms = $1 WHERE id = $2 AND revoked_at_ms IS NULL",
};
const touch = {
	name: "touchKeys",
	text: `UPDATE keys SET last_used_at_ms = greatest(last_used_at_ms, given.used), get_pet_used_at_ms = greatest(get_pet_used_at_ms, given.get_pet_used)
	FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS given (id, used, get_pet_used) WHERE keys.id = given.id`,
};

export function keyRows(pool: pg.Pool, query: Query, untilCommitted: UntilCommitted): KeyRows {
	const byHash = turnBatch<string, KeyRow | undefined>(String, async (hashes) => {
		const { rows } = await query(byHashes, [hashes]);
		const keys = new Map((rows as KeyColumns[]).map((row) => [row.hash, toKeyRow(row)]));
		return hashes.map((hash) => keys.get(hash));
	});
	const secretValues = (keyId: string, { hash, last4, createdAtMs, expiresAtMs }: NewSecret) => [
		hash,
		keyId,
		last4,
		createdAtMs,
		expiresAtMs ?? null,
	];

	/** Runs statements as one transaction. */
	const inOne = (statements: { name: string; text: string; values: unknown[] }[]): Promise<void> =>
		untilCommitted(async () => {
			const client = await pool.connect();
			let isBroken = true;
			try {
				await client.query("BEGIN");
				for (const statement of statements) await client.query(statement);
				await client.query("COMMIT");
				isBroken = false;
			} finally {
				client.release(isBroken);
			}
		});

	return {
		byHash,
		list: async () => ((await query(newest, [])).rows as KeyColumns[]).map(toKeyRow),
		add: ({ id, name, scopes, rate = null, createdAtMs }, secret) =>
			inOne([
				{ ...addKey, values: [id, name, scopes.join(" "), rate, createdAtMs] },
				{ ...addSecret, values: secretValues(id, secret) },
			]),
		rotate: (keyId, secret, graceEndsAtMs) =>
			inOne([
				{ ...endSecrets, values: [graceEndsAtMs, keyId] },
				{ ...addSecret, values: secretValues(keyId, secret) },
			]),
		revoke: async (keyId, nowMs) => void (await query(revoke, [nowMs, keyId])),
		touch: async (uses) => {
			const values = [
				uses.map(({ keyId }) => keyId),
				uses.map(({ usedAtMs }) => usedAtMs),
				uses.map(({ getPetUsedAtMs = null }) => getPetUsedAtMs),
			];
			await query(touch, values);
		},
	};
}

interface KeyColumns {
	id: string;
	name: string;
	scopes: string;
	rate: string | null;
	created_at_ms: bigint;
	revoked_at_ms: bigint | null;
	last_used_at_ms: bigint | null;
	get_pet_used_at_ms: bigint | null;
	hash: string;
	last4: string;
	secret_created_at_ms: bigint;
	expires_at_ms: bigint | null;
}

function toKeyRow(row: KeyColumns): KeyRow {
	const ms = (value: bigint | null) => (value === null ? undefined : Number(value));
	return {
		id: row.id,
		name: row.name,
		scopes: row.scopes.split(" "),
		rate: row.rate ?? undefined,
		createdAtMs: Number(row.created_at_ms),
		revokedAtMs: ms(row.revoked_at_ms),
		lastUsedAtMs: ms(row.last_used_at_ms),
		getPetUsedAtMs: ms(row.get_pet_used_at_ms),
		secret: { last4: row.last4, createdAtMs: Number(row.secret_created_at_ms), expiresAtMs: ms(row.expires_at_ms) },
	};
}
