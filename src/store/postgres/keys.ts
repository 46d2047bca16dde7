// The API keys of a PostgreSQL store.

import type pg from "pg";
import { addUses, fromKeys, keyColumns, type ListedUse, newKey, readKeyRow, selectKeys } from "../key-rows.ts";
import type { KeyRows } from "../store.ts";
import { columnList, createRowWriter, pickColumns, tables } from "../tables.ts";
import { createTurnBatch } from "../turn-batch.ts";
import type { Retry } from "./errors.ts";
import type { Query } from "./pool.ts";
import { type Read, selectWithState } from "./state.ts";
import { inTransaction } from "./transaction.ts";

const byHashes = {
	name: "keysByHash",
	text: selectWithState(["s.hash", ...keyColumns], `${fromKeys} WHERE s.hash = ANY($1::text[])`),
};
const newest = {
	name: "keysNewest",
	text: `${selectKeys} WHERE s.number = (SELECT max(number) FROM secrets WHERE key_id = k.id)
	ORDER BY k.created_at_ms, k.id`,
};
const uses = { name: "keyUses", text: `SELECT ${columnList(tables.keyUses)} FROM key_uses` };
const toKeyRow = createRowWriter(newKey);
const addKey = { name: "addKey", text: `INSERT INTO keys (${columnList(newKey)}) VALUES ($1, $2, $3, $4, $5)` };
const toSecretRow = createRowWriter(
	pickColumns(tables.secrets, ["hash", "keyId", "last4", "createdAtMs", "expiresAtMs"]),
);
const addSecret = {
	name: "addSecret",
	text: `INSERT INTO secrets (hash, key_id, number, last4, created_at_ms, expires_at_ms)
	SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5 FROM secrets WHERE key_id = $2`,
};
/** Held by the node that adds a key on a condition, so that the condition is true until its commit. */
const lockProvisioning = {
	name: "lockProvisioning",
	text: "SELECT name FROM settings WHERE name = 'cursor_secret' FOR UPDATE",
};
const anySecret = { name: "anySecret", text: "SELECT hash FROM secrets WHERE $1::text IS NULL OR hash = $1 LIMIT 1" };
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
	text: `INSERT INTO key_uses AS existing (${columnList(tables.keyUses)})
	SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
	ON CONFLICT (key_id, operation)
	DO UPDATE SET last_used_at_ms = greatest(existing.last_used_at_ms, excluded.last_used_at_ms)`,
};

interface KeyAccess {
	pool: pg.Pool;
	query: Query;
	read: Read;
	retry: Retry;
	/** That the latest read of the store showed. */
	history: () => string;
}

export function createKeyRows({ pool, query, read, retry, history }: KeyAccess): KeyRows {
	const findByHash = createTurnBatch(String, async (hashes: string[]) => {
		const { rows, shown } = await read(byHashes, [hashes]);
		const keys = new Map(rows.map(([hash, ...row]) => [hash, { ...readKeyRow(row), history: shown.history }]));
		return hashes.map((hash) => keys.get(hash));
	});

	return {
		get history() {
			return history();
		},
		findByHash,
		async list() {
			const [keys, used] = await Promise.all([query(newest, []), query(uses, [])]);
			return addUses(keys.rows.map(readKeyRow), used.rows as ListedUse[]);
		},
		add: (key, secret, unless) =>
			inTransaction(pool, retry, async (client) => {
				if (unless) {
					await client.query(lockProvisioning);
					const values = [unless === "same secret" ? secret.hash : null];
					if ((await client.query({ ...anySecret, values })).rows.length > 0) return false;
				}
				await client.query({ ...addKey, values: toKeyRow(key) });
				await client.query({ ...addSecret, values: toSecretRow({ ...secret, keyId: key.id }) });
				return true;
			}),
		rotate: (keyId, secret, graceEndsAtMs) =>
			inTransaction(pool, retry, async (client) => {
				await client.query({ ...endSecrets, values: [graceEndsAtMs, keyId] });
				await client.query({ ...addSecret, values: toSecretRow({ ...secret, keyId }) });
			}),
		revoke: async (keyId, nowMs) => void (await query(revoke, [nowMs, keyId])),
		async touch(uses) {
			const fields = ["keyId", "operation", "usedAtMs"] as const;
			await query(
				touch,
				fields.map((field) => uses.map((use) => use[field])),
			);
		},
	};
}
