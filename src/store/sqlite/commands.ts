// What the writer thread can do: each command with its request and its result. A batch of them is one transaction.

import type Database from "better-sqlite3";
import type { NewPet } from "../../contract/pet.ts";
import { type Create, fingerprintOf, idempotencyMs, type Meaning, repeated, sweepRows } from "../idempotency.ts";
import type { Row } from "../rows.ts";
import type { Created, KeyUse, NewKey, NewSecret } from "../store.ts";
import { columnList, columnsOf, partOf, rowWriter, type Table, type TableName, tables } from "../tables.ts";

interface Commands {
	createPet: { request: Create; result: Created };
	/** @returns how many keys were removed */
	sweepIdempotencyKeys: { request: { nowMs: number }; result: number };
	addKey: { request: { key: NewKey; secret: NewSecret }; result: undefined };
	rotateKey: { request: { keyId: string; secret: NewSecret; graceEndsAtMs: number }; result: undefined };
	revokeKey: { request: { keyId: string; nowMs: number }; result: undefined };
	touchKeys: { request: { uses: KeyUse[] }; result: undefined };
	addRows: { request: { table: TableName; rows: Row[] }; result: undefined };
	setLastId: { request: { lastId: bigint }; result: undefined };
	/** Undefined removes the setting. */
	setSetting: { request: { name: string; value: Uint8Array | undefined }; result: undefined };
}

export type CommandName = keyof Commands;
export type Request<Name extends CommandName> = Commands[Name]["request"];
export type Result<Name extends CommandName = CommandName> = Commands[Name]["result"];

/** One write. */
export type Write = { [Name in CommandName]: { name: Name; request: Request<Name> } }[CommandName];

/** Puts a command into the queue of the writer thread. */
export type WriteCommand = <Name extends CommandName>(name: Name, request: Request<Name>) => Promise<Result<Name>>;

type Appliers = { [Name in CommandName]: (request: Request<Name>) => Result<Name> };

/**
 * @returns what applies a batch in one transaction: all of it is on disk when it returns, none of it is kept when it
 * throws
 */
export function prepareCommit(database: Database.Database): (batch: Write[]) => Result[] {
	const appliers: Appliers = { ...petAppliers(database), ...keyAppliers(database), ...copyAppliers(database) };
	function apply<Name extends CommandName>({ name, request }: { name: Name; request: Request<Name> }): Result<Name> {
		return appliers[name](request);
	}
	return database.transaction((batch: Write[]) => batch.map((write) => apply(write))).immediate;
}

/** Plain values, one for each column. */
function insert(table: Table, how = "INSERT"): string {
	const places = columnsOf(table).map(() => "?");
	return `${how} INTO ${table.name} (${columnList(table)}) VALUES (${places.join(", ")})`;
}

const petRow = rowWriter(tables.pets);
const idempotencyKeyRow = rowWriter(tables.idempotencyKeys);

function petAppliers(database: Database.Database): Pick<Appliers, "createPet" | "sweepIdempotencyKeys"> {
	const addPet = database.prepare(insert(tables.pets)).safeIntegers();
	const takenKey = database
		.prepare<unknown[], Meaning>(
			`SELECT pet_id AS petId, fingerprint FROM idempotency_keys
			WHERE caller = ? AND key = ? AND created_at_ms > ?`,
		)
		.safeIntegers();
	const addKey = database.prepare(insert(tables.idempotencyKeys, "INSERT OR REPLACE"));
	const sweep = database.prepare(
		`DELETE FROM idempotency_keys WHERE rowid IN
		(SELECT rowid FROM idempotency_keys WHERE created_at_ms <= ? LIMIT ${sweepRows})`,
	);
	/** Without an id: SQLite gives the next one. */
	const keepPet = (pet: NewPet) => BigInt(addPet.run(...petRow(pet)).lastInsertRowid);
	return {
		createPet({ pet, idempotencyKey, nowMs }) {
			if (!idempotencyKey) return { id: keepPet(pet), outcome: "created" };
			const { caller, key } = idempotencyKey;
			const fingerprint = fingerprintOf(pet);
			const taken = takenKey.get(caller, key, nowMs - idempotencyMs);
			if (taken) return repeated(taken, fingerprint);
			const petId = keepPet(pet);
			addKey.run(...idempotencyKeyRow({ caller, key, petId, fingerprint, createdAtMs: nowMs }));
			return { id: petId, outcome: "created" };
		},
		sweepIdempotencyKeys: ({ nowMs }) => sweep.run(nowMs - idempotencyMs).changes,
	};
}

const newKey = partOf(tables.keys, ["id", "name", "scopes", "rate", "createdAtMs"]);

const keyRow = rowWriter(newKey);
const useRow = rowWriter(tables.keyUses);

function keyAppliers(database: Database.Database): Pick<Appliers, "addKey" | "rotateKey" | "revokeKey" | "touchKeys"> {
	const addKey = database.prepare(insert(newKey));
	const addSecret = database.prepare(
		`INSERT INTO secrets (hash, key_id, number, last4, created_at_ms, expires_at_ms)
		SELECT @hash, @keyId, coalesce(max(number), 0) + 1, @last4, @createdAtMs, @expiresAtMs
		FROM secrets WHERE key_id = @keyId`,
	);
	const endSecrets = database.prepare(
		"UPDATE secrets SET expires_at_ms = min(coalesce(expires_at_ms, @endsAtMs), @endsAtMs) WHERE key_id = @keyId",
	);
	const revoke = database.prepare("UPDATE keys SET revoked_at_ms = ? WHERE id = ? AND revoked_at_ms IS NULL");
	const touch = database.prepare(
		`${insert(tables.keyUses)} ON CONFLICT (key_id, operation)
		DO UPDATE SET last_used_at_ms = max(last_used_at_ms, excluded.last_used_at_ms)`,
	);
	const keepSecret = (keyId: string, secret: NewSecret) =>
		addSecret.run({ ...secret, keyId, expiresAtMs: secret.expiresAtMs ?? null });
	return {
		addKey({ key, secret }) {
			addKey.run(...keyRow(key));
			keepSecret(key.id, secret);
		},
		rotateKey({ keyId, secret, graceEndsAtMs }) {
			endSecrets.run({ endsAtMs: graceEndsAtMs, keyId });
			keepSecret(keyId, secret);
		},
		revokeKey({ keyId, nowMs }) {
			revoke.run(nowMs, keyId);
		},
		touchKeys({ uses }) {
			for (const use of uses) touch.run(...useRow(use));
		},
	};
}

/** What moves a whole store (copy.ts). */
function copyAppliers(database: Database.Database): Pick<Appliers, "addRows" | "setLastId" | "setSetting"> {
	const dropLastId = database.prepare("DELETE FROM sqlite_sequence WHERE name = 'pets'");
	const addLastId = database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('pets', ?)");
	const putSetting = database.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)");
	const dropSetting = database.prepare("DELETE FROM settings WHERE name = ?");
	return {
		addRows({ table, rows }) {
			const add = database.prepare(insert(tables[table], "INSERT OR IGNORE"));
			for (const row of rows) add.run(...row);
		},
		setLastId({ lastId }) {
			dropLastId.run();
			addLastId.run(lastId);
		},
		setSetting({ name, value }) {
			if (value === undefined) dropSetting.run(name);
			else putSetting.run(name, value);
		},
	};
}
