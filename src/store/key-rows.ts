// Queries and rows of API keys for both engines: a key with one of its secrets, and its last uses.

import type { KeyRecord, KeyRow, KeyUse, ListedKey, Secret } from "./store.ts";
import { columnList, columnsOf, createRecordReader, pickColumns, tables } from "./tables.ts";

/** The fields of a secret that are read. The hash never leaves the store. */
const shownSecret = pickColumns(tables.secrets, ["last4", "createdAtMs", "expiresAtMs"]);
const readKey = createRecordReader<KeyRecord>(tables.keys);
const readSecret = createRecordReader<Secret>(shownSecret);
const keyWidth = columnsOf(tables.keys).length;

/**
 * Selects keys `k` with their secrets `s`: two small tables, which a distributed engine has in one
 * place or on every node. @param first columns to select before those of `readKeyRow`
 */
export function buildKeySelect(first = ""): string {
	return `SELECT ${first}${columnList(tables.keys, "k.")}, ${columnList(shownSecret, "s.")}
	FROM keys k JOIN secrets s ON s.key_id = k.id`;
}

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
