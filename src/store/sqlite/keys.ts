// The API keys of a SQLite store.

import type Database from "better-sqlite3";
import { addUses, buildKeySelect, type ListedUse, readKeyRow } from "../key-rows.ts";
import type { KeyRows } from "../store.ts";
import { columnList, tables } from "../tables.ts";
import type { WriteCommand } from "./commands.ts";

interface KeyAccess {
	database: Database.Database;
	/** Runs a query in the snapshot of this turn. */
	read: <Result>(query: () => Result) => Result;
	write: WriteCommand;
}

export function createKeyRows({ database, read, write }: KeyAccess): KeyRows {
	const byHash = database.prepare<[string], unknown[]>(`${buildKeySelect()} WHERE s.hash = ?`).raw();
	const newest = database
		.prepare<[], unknown[]>(
			`${buildKeySelect()} WHERE s.number = (SELECT max(number) FROM secrets WHERE key_id = k.id)
			ORDER BY k.created_at_ms, k.rowid`,
		)
		.raw();
	const uses = database.prepare<[], ListedUse>(`SELECT ${columnList(tables.keyUses)} FROM key_uses`).raw();
	return {
		async findByHash(hash) {
			const row = read(() => byHash.get(hash));
			return row && readKeyRow(row);
		},
		list: async () => read(() => addUses(newest.all().map(readKeyRow), uses.all())),
		add: (key, secret, unless) => write("addKey", { key, secret, unless }),
		rotate: (keyId, secret, graceEndsAtMs) => write("rotateKey", { keyId, secret, graceEndsAtMs }),
		revoke: (keyId, nowMs) => write("revokeKey", { keyId, nowMs }),
		touch: (uses) => write("touchKeys", { uses }),
	};
}
