// How SQLite keeps API keys.

import type Database from "better-sqlite3";
import type { KeyRow, KeyRows } from "../store.ts";
import type { Writer } from "./writer.ts";
import type { Write } from "./writer-thread.ts";

interface KeyAccess {
	database: Database.Database;
	/** Runs a query in the snapshot of this turn. */
	read: <Result>(query: () => Result) => Result;
	write: Writer["write"];
}

export function keyRows({ database, read, write }: KeyAccess): KeyRows {
	const columns = `SELECT k.*, s.last4, s.created_at_ms AS secret_created_at_ms, s.expires_at_ms
		FROM keys k JOIN secrets s ON s.key_id = k.id`;
	const byHash = database.prepare<[string], KeyColumns>(`${columns} WHERE s.hash = ?`);
	const newest = database.prepare<[], KeyColumns>(
		`${columns} WHERE s.number = (SELECT max(number) FROM secrets WHERE key_id = k.id) ORDER BY k.created_at_ms, k.rowid`,
	);
	const done = async (request: Write) => void (await write(request));
	return {
		byHash: async (hash) => {
			const row = read(() => byHash.get(hash));
			return row && toKeyRow(row);
		},
		list: async () => read(() => newest.all()).map(toKeyRow),
		add: (key, secret) => done({ kind: "addKey", key, secret }),
		rotate: (keyId, secret, graceEndsAtMs) => done({ kind: "rotateKey", keyId, secret, graceEndsAtMs }),
		revoke: (keyId, nowMs) => done({ kind: "revokeKey", keyId, nowMs }),
		touch: (uses) => done({ kind: "touchKeys", uses }),
	};
}

interface KeyColumns {
	id: string;
	name: string;
	scopes: string;
	rate: string | null;
	created_at_ms: number;
	revoked_at_ms: number | null;
	last_used_at_ms: number | null;
	get_pet_used_at_ms: number | null;
	last4: string;
	secret_created_at_ms: number;
	expires_at_ms: number | null;
}

function toKeyRow(row: KeyColumns): KeyRow {
	return {
		id: row.id,
		name: row.name,
		scopes: row.scopes.split(" "),
		rate: row.rate ?? undefined,
		createdAtMs: row.created_at_ms,
		revokedAtMs: row.revoked_at_ms ?? undefined,
		lastUsedAtMs: row.last_used_at_ms ?? undefined,
		getPetUsedAtMs: row.get_pet_used_at_ms ?? undefined,
		secret: {
			last4: row.last4,
			createdAtMs: row.secret_created_at_ms,
			expiresAtMs: row.expires_at_ms ?? undefined,
		},
	};
}
