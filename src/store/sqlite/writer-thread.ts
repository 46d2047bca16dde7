// The one writer thread. It receives batches, makes each one transaction, and answers once the commit is on disk. What
// arrives during a commit is the next batch (see sqlite.ts), so one sync serves many creates.

import { parentPort, workerData } from "node:worker_threads";
import type Database from "better-sqlite3";
import type { NewPet } from "../../contract/pet.ts";
import { type Create, fingerprintOf, idempotencyMs, type Meaning, repeated, sweepRows } from "../idempotency.ts";
import { columnsOf, type Row, type Table } from "../rows.ts";
import { type Created, type KeyUse, type NewKey, type NewSecret, StoreRefused } from "../store.ts";
import { type FileOptions, openSqliteWriter, refusal } from "./file.ts";

/** One write; a batch of them is one transaction. */
export type Write =
	| ({ kind: "createPet" } & Create)
	| { kind: "sweepRetries"; nowMs: number }
	| { kind: "addKey"; key: NewKey; secret: NewSecret }
	| { kind: "rotateKey"; keyId: string; secret: NewSecret; graceEndsAtMs: number }
	| { kind: "revokeKey"; keyId: string; nowMs: number }
	| { kind: "touchKeys"; uses: KeyUse[] }
	| { kind: "addRows"; table: Table; rows: Row[] }
	| { kind: "setLastId"; lastId: bigint }
	| { kind: "setSetting"; name: string; value: Uint8Array | undefined };

/** The first message is `opened` or `refused`; then one of the others for each batch. After `lost` nothing else is committed. */
export type WriterMessage =
	| { kind: "opened"; isNew: boolean }
	| { kind: "refused"; message: string }
	| { kind: "committed"; results: (Created | number | undefined)[] }
	| { kind: "failed"; code: string; message: string }
	| { kind: "lost"; path: string };

if (parentPort) run(parentPort, workerData);

export type WriterData = FileOptions & { file: string };

function run(port: NonNullable<typeof parentPort>, { file, ...options }: WriterData): void {
	const post = (message: WriterMessage) => port.postMessage(message);
	let writer: ReturnType<typeof open>;
	try {
		writer = open(file, options);
	} catch (error) {
		const isForeseen = error instanceof StoreRefused || (error as NodeJS.ErrnoException).code !== undefined;
		if (!isForeseen) throw error;
		post({ kind: "refused", message: refusal(file, error).message });
		return;
	}
	const { database, isNew, commit, files } = writer;
	post({ kind: "opened", isNew });
	port.on("message", (batch: Write[] | "close") => {
		if (batch === "close") {
			database.close();
			return port.close();
		}
		const outcome = outcomeOf(() => commit(batch));
		// After the commit and before anybody hears of it.
		const path = files.lost();
		if (path === undefined) return post(outcome);
		post({ kind: "lost", path });
		files.rescue(database);
	});
}

function open(file: string, options: FileOptions) {
	const opened = openSqliteWriter(file, options);
	return { ...opened, commit: prepareCommit(opened.database) };
}

function outcomeOf(commit: () => (Created | number | undefined)[]): WriterMessage {
	try {
		return { kind: "committed", results: commit() };
	} catch (error) {
		const { code = "", message } = error as NodeJS.ErrnoException;
		return { kind: "failed", code, message };
	}
}

/** Applies a batch in one transaction: all of it is on disk when this returns, none of it is kept when it throws. */
function prepareCommit(database: Database.Database) {
	const addPet = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)").safeIntegers();
	const takenKey = database
		.prepare<unknown[], Meaning>(
			`SELECT pet_id AS petId, fingerprint FROM idempotency_keys
			WHERE caller = ? AND key = ? AND created_at_ms > ?`,
		)
		.safeIntegers();
	const addIdempotencyKey = database.prepare(
		`INSERT OR REPLACE INTO idempotency_keys (caller, key, pet_id, fingerprint, created_at_ms)
		VALUES (?, ?, ?, ?, ?)`,
	);
	const sweep = database.prepare(
		`DELETE FROM idempotency_keys WHERE rowid IN
		(SELECT rowid FROM idempotency_keys WHERE created_at_ms <= ? LIMIT ${sweepRows})`,
	);
	const addKey = database.prepare("INSERT INTO keys (id, name, scopes, rate, created_at_ms) VALUES (?, ?, ?, ?, ?)");
	const addSecret = database.prepare(
		`INSERT INTO secrets (hash, key_id, number, last4, created_at_ms, expires_at_ms)
		SELECT @hash, @keyId, coalesce(max(number), 0) + 1, @last4, @createdAtMs, @expiresAtMs FROM secrets WHERE key_id = @keyId`,
	);
	const endSecrets = database.prepare(
		"UPDATE secrets SET expires_at_ms = min(coalesce(expires_at_ms, @endsAtMs), @endsAtMs) WHERE key_id = @keyId",
	);
	const revoke = database.prepare("UPDATE keys SET revoked_at_ms = ? WHERE id = ? AND revoked_at_ms IS NULL");
	const touch = database.prepare(
		`UPDATE keys SET last_used_at_ms = max(coalesce(last_used_at_ms, 0), @usedAtMs),
		get_pet_used_at_ms = nullif(max(coalesce(get_pet_used_at_ms, 0), coalesce(@getPetUsedAtMs, 0)), 0)
		WHERE id = @keyId`,
	);
	const dropLastId = database.prepare("DELETE FROM sqlite_sequence WHERE name = 'pets'");
	const addLastId = database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)");
	const putSetting = database.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)");
	const dropSetting = database.prepare("DELETE FROM settings WHERE name = ?");
	const keepSecret = (keyId: string, secret: NewSecret) =>
		addSecret.run({ ...secret, keyId, expiresAtMs: secret.expiresAtMs ?? null });

	function addRows(table: Table, rows: Row[]): void {
		const columns = columnsOf(table);
		const places = columns.map(() => "?").join(", ");
		const add = database.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) VALUES (${places})`);
		for (const row of rows) add.run(...row);
	}

	function keepPet({ name, categoryId, status }: NewPet): bigint {
		return addPet.run(name, categoryId, status ?? null).lastInsertRowid as bigint;
	}

	function createPet({ pet, retry, nowMs }: Create): Created {
		if (!retry) return { id: keepPet(pet), outcome: "created" };
		const { caller, key } = retry;
		const fingerprint = fingerprintOf(pet);
		const taken = takenKey.get(caller, key, nowMs - idempotencyMs);
		if (taken) return repeated(taken, fingerprint);
		const id = keepPet(pet);
		addIdempotencyKey.run(caller, key, id, fingerprint, nowMs);
		return { id, outcome: "created" };
	}

	function apply(write: Write): Created | number | undefined {
		switch (write.kind) {
			case "createPet":
				return createPet(write);
			case "sweepRetries":
				return sweep.run(write.nowMs - idempotencyMs).changes;
			case "addKey": {
				const { id, name, scopes, rate = null, createdAtMs } = write.key;
				addKey.run(id, name, scopes.join(" "), rate, createdAtMs);
				keepSecret(id, write.secret);
				return;
			}
			case "rotateKey":
				endSecrets.run({ endsAtMs: write.graceEndsAtMs, keyId: write.keyId });
				keepSecret(write.keyId, write.secret);
				return;
			case "revokeKey":
				revoke.run(write.nowMs, write.keyId);
				return;
			case "touchKeys":
				for (const use of write.uses) touch.run({ ...use, getPetUsedAtMs: use.getPetUsedAtMs ?? null });
				return;
			case "addRows":
				addRows(write.table, write.rows);
				return;
			case "setLastId":
				dropLastId.run();
				addLastId.run(write.lastId);
				return;
			case "setSetting":
				if (write.value === undefined) dropSetting.run(write.name);
				else putSetting.run(write.name, write.value);
				return;
		}
	}

	return database.transaction((batch: Write[]) => batch.map(apply)).immediate;
}
