// Queries and rows of API keys for both engines: a key with one of its secrets, and its last uses.

import type { KeyRecord, KeyRow, KeyUse, ListedKey, Secret } from "./store.ts";
import { columnNames, columnsOf, createRecordReader, pickColumns, tables } from "./tables.ts";

/** The fields of a secret that are read. The hash never leaves the store. */
const shownSecret = pickColumns(tables.secrets, ["last4", "createdAtMs", "expiresAtMs"]);
/** What of a key is stored when it is added. */
export const newKey = pickColumns(tables.keys, ["id", "name", "scopes", "rate", "createdAtMs"]);
const readKey = createRecordReader<KeyRecord>(tables.keys);
const readSecret = createRecordReader<Secret>(shownSecret);
const keyWidth = columnsOf(tables.keys).length;

/** The columns of `readKeyRow`, of keys `k` with their secrets `s`. */
export const keyColumns = [...columnNames(tables.keys, "k."), ...columnNames(shownSecret, "s.")];
/** Two small tables, which a distributed engine has in one place or on every node. */
export const fromKeys = "FROM keys k JOIN secrets s ON s.key_id = k.id";
export const selectKeys = `SELECT ${keyColumns.join(", ")} ${fromKeys}`;

export function readKeyRow(row: unknown[]): KeyRow {
	return { ...readKey(row), secret: readSecret(row.slice(keyWidth)) };
}

/** A row of key_uses. */
export type ListedUse = unknown[];
const readUse = createRecordReader<KeyUse>(tables.keyUses);

export function addUses(keys: KeyRow[], uses: ListedUse[]): ListedKey[] {
	const usesOf = Map.groupBy(uses.map(readUse), ({ keyId }) => keyId);
	return keys.map((key) => {
		const used = (usesOf.get(key.id) ?? []).map(({ operation, usedAtMs }) => [operation, usedAtMs]);
		return { ...key, usedAtMs: Object.fromEntries(used) };
	});
}
