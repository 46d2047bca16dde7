// The API keys of a store: rows of a key with one of its secrets, and of its last uses.

import type { Select } from "./reads.ts";
import type { KeyRecord, KeyRow, KeyUse, ListedKey, Secret } from "./store.ts";
import { columnNames, columnsOf, createRecordReader, pickColumns, tables } from "./tables.ts";

/** The fields of a secret that are read. The hash never leaves the store. */
const shownSecret = pickColumns(tables.secrets, ["last4", "createdAtMs", "expiresAtMs"]);
const readKey = createRecordReader<KeyRecord>(tables.keys);
const readSecret = createRecordReader<Secret>(shownSecret);
const readUse = createRecordReader<KeyUse>(tables.keyUses);
const keyWidth = columnsOf(tables.keys).length;

/** The columns of `readKeyRow`, of keys `k` with their secrets `s`. */
export const keyColumns = [...columnNames(tables.keys, "k."), ...columnNames(shownSecret, "s.")];
/** Two small tables, which a distributed engine has in one place or on every node. */
export const fromKeys = "FROM keys k JOIN secrets s ON s.key_id = k.id";
const newest = `${fromKeys} WHERE s.number = (SELECT max(number) FROM secrets WHERE key_id = k.id)
	ORDER BY k.created_at_ms, k.id`;

export function readKeyRow(row: readonly unknown[]): KeyRow {
	return { ...readKey(row), secret: readSecret(row.slice(keyWidth)) };
}

export async function listKeys(select: Select): Promise<ListedKey[]> {
	const [keys, uses] = await Promise.all([
		select(keyColumns, newest),
		select(columnNames(tables.keyUses), "FROM key_uses"),
	]);
	const usesOf = Map.groupBy(uses.rows.map(readUse), ({ keyId }) => keyId);
	return keys.rows.map(readKeyRow).map((key) => {
		const used = (usesOf.get(key.id) ?? []).map(({ operation, usedAtMs }) => [operation, usedAtMs]);
		return { ...key, usedAtMs: Object.fromEntries(used) };
	});
}
