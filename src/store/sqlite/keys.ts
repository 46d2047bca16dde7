// The API keys of a SQLite store.

import type Database from "better-sqlite3";
import { addUses, type ListedUse, readKeyRow, selectKeys } from "../key-rows.ts";
import type { KeyRow, KeyRows, Shown } from "../store.ts";
import { columnList, tables } from "../tables.ts";
import type { WriteCommand } from "./commands.ts";
import type { TurnReads } from "./turn-reads.ts";

interface KeyAccess {
	database: Database.Database;
	turn: TurnReads;
	write: WriteCommand;
}

export function createKeyRows({ database, turn, write }: KeyAccess): KeyRows {
	const byHash = database.prepare<[string], unknown[]>(`${selectKeys} WHERE s.hash = ?`).raw();
	const newest = database
		.prepare<[], unknown[]>(
			`${selectKeys} WHERE s.number = (SELECT max(number) FROM secrets WHERE key_id = k.id)
			ORDER BY k.created_at_ms, k.rowid`,
		)
		.raw();
	const uses = database.prepare<[], ListedUse>(`SELECT ${columnList(tables.keyUses)} FROM key_uses`).raw();
	/** The latest hash that no key had, and what the store showed then: a client repeats its unknown key. */
	let absent: { hash: string; shown: Shown } | undefined;

	function findByHash(hash: string): KeyRow | undefined {
		const shown = turn.shown();
		if (absent?.shown === shown && absent.hash === hash) return undefined;
		const row = byHash.get(hash);
		if (row) return { ...readKeyRow(row), history: shown.history };
		absent = { hash, shown };
		return undefined;
	}
	return {
		get history() {
			return turn.history();
		},
		findByHash: (hash) => turn.read(() => findByHash(hash), `key ${hash}`),
		list: () => turn.read(() => addUses(newest.all().map(readKeyRow), uses.all())),
		add: (key, secret, unless) => write("addKey", { key, secret, unless }),
		rotate: (keyId, secret, graceEndsAtMs) => write("rotateKey", { keyId, secret, graceEndsAtMs }),
		revoke: (keyId, nowMs) => write("revokeKey", { keyId, nowMs }),
		touch: (uses) => write("touchKeys", { uses }),
	};
}
