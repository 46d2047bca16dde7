// What both engines read of API keys: a key with one of its secrets, and when it was used.

import type { KeyRecord, KeyRow, KeyUse, ListedKey, Secret } from "./store.ts";
import { columnList, columnsOf, partOf, recordReader, tables } from "./tables.ts";

/** Of a secret; the hash stays in the store. */
const shownSecret = partOf(tables.secrets, ["last4", "createdAtMs", "expiresAtMs"]);
const readKey = recordReader<KeyRecord>(tables.keys);
const readSecret = recordReader<Secret>(shownSecret);
const keyWidth = columnsOf(tables.keys).length;

/** Selects keys `k` with their secrets `s`. @param first columns before those of `keyReader` */
export function keySelection(first = ""): string {
	return `SELECT ${first}${columnList(tables.keys, "k.")}, ${columnList(shownSecret, "s.")}
	FROM keys k JOIN secrets s ON s.key_id = k.id`;
}

export function keyReader(row: unknown[]): KeyRow {
	return { ...readKey(row), secret: readSecret(row.slice(keyWidth)) };
}

/** A row of key_uses. */
export type ListedUse = unknown[];
const readUse = recordReader<KeyUse>(tables.keyUses);

export function withUses(keys: KeyRow[], uses: ListedUse[]): ListedKey[] {
	const usesOf = Map.groupBy(uses.map(readUse), ({ keyId }) => keyId);
	return keys.map((key) => {
		const used = (usesOf.get(key.id) ?? []).map(({ operation, usedAtMs }) => [operation, usedAtMs]);
		return { ...key, usedAtMs: Object.fromEntries(used) };
	});
}
