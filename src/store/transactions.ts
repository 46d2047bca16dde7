// All writes except creates. Each is one transaction, which both engines can run: a generator that yields statements.

import type { Pet } from "../contract/pet.ts";
import { changeCategories } from "./categories.ts";
import type { Dialect, Transaction } from "./dialect.ts";
import { erasedFingerprint, idempotencyMs } from "./idempotency.ts";
import { type AddUnless, type EditResult, type NewEdit, StoreUpgraded } from "./store.ts";
import {
	columnList,
	createRecordReader,
	createRowWriter,
	type EditRecord,
	insertRows,
	type KeyUse,
	type NewKey,
	type NewSecret,
	pickColumns,
	tables,
} from "./tables.ts";

const toEditRow = createRowWriter(tables.edits);
const newKey = pickColumns(tables.keys, ["id", "name", "scopes", "rate", "createdAtMs"]);
const toKeyRow = createRowWriter(newKey);
const toUseRow = createRowWriter(tables.keyUses);
const newSecret = pickColumns(tables.secrets, ["hash", "keyId", "last4", "createdAtMs", "expiresAtMs"]);
const toSecretRow = createRowWriter(newSecret);
const addSecret = `INSERT INTO secrets (hash, key_id, number, last4, created_at_ms, expires_at_ms)
	SELECT $1, $2, coalesce(max(number), 0) + 1, $3, $4, $5 FROM secrets WHERE key_id = $2`;

const toPet = createRecordReader<Pet>(tables.pets);

function* editPet(dialect: Dialect, edit: NewEdit, nowMs: number): Transaction<EditResult> {
	const { petId, editor, action, seen } = edit;
	const readPet = `SELECT ${columnList(tables.pets)} FROM pets WHERE id = $1 ${dialect.forUpdate}`;
	const [row] = yield { text: readPet, values: [petId] };
	if (!row) {
		const by = yield* readLastEditor(petId);
		return by === undefined ? { outcome: "absent" } : { outcome: "removed", by };
	}
	const pet = toPet(row);
	const edited = editedPet(pet, edit);
	if (edited && isSame(pet, edited)) return { outcome: "unchanged", pet };
	if (seen && !isSame(pet, { categoryId: pet.categoryId, ...seen })) {
		const by = yield* readLastEditor(petId);
		return { outcome: "conflict", pet, ...(by !== undefined && { by }) };
	}
	if (edited) {
		const values = [edited.name, edited.status ?? null, edited.categoryId, petId];
		yield { text: "UPDATE pets SET name = $1, status = $2, category_id = $3 WHERE id = $4", values };
	} else {
		yield { text: "DELETE FROM pets WHERE id = $1", values: [petId] };
		// The origin is erased, too, because the origin of an import's row has hashes of the row's cells.
		const erase = "UPDATE idempotency_keys SET fingerprint = $1, origin = NULL WHERE pet_id = $2";
		yield { text: erase, values: [erasedFingerprint, petId] };
	}
	const [[id] = []] = yield { text: dialect.nextEditId };
	const record = { id, atMs: nowMs, editor, action, petId, ...changeOf(action, pet, edited) };
	yield* insertRows(tables.edits, [toEditRow(record)]);
	return { outcome: "edited", ...(edited && { pet: edited }) };
}

function editedPet(pet: Pet, edit: NewEdit): Pet | undefined {
	if (edit.action === "remove") return undefined;
	if (edit.action === "rename") return { ...pet, name: edit.name };
	return edit.action === "set-status" ? { ...pet, status: edit.status } : { ...pet, categoryId: edit.categoryId };
}

type Editable = Pick<Pet, "name" | "status" | "categoryId">;

function isSame(one: Editable, other: Editable): boolean {
	return one.name === other.name && one.status === other.status && one.categoryId === other.categoryId;
}

/** The changed values that an edit's record contains. Names are not recorded. */
function changeOf(action: NewEdit["action"], pet: Pet, edited: Pet | undefined): Partial<EditRecord> {
	if (action === "rename") return {};
	if (action === "set-category") return { fromCategoryId: pet.categoryId, toCategoryId: edited?.categoryId };
	return { fromStatus: pet.status, toStatus: edited?.status };
}

function* readLastEditor(petId: bigint): Transaction<string | undefined> {
	const last = "SELECT editor FROM edits WHERE pet_id = $1 ORDER BY id DESC LIMIT 1";
	const [[editor] = []] = yield { text: last, values: [petId] };
	return editor as string | undefined;
}

function* addKey(dialect: Dialect, key: NewKey, secret: NewSecret, unless?: AddUnless): Transaction<boolean> {
	if (unless) {
		// Until this transaction ends, the lock keeps other nodes from adding a key with a condition (`unless`).
		yield { text: `SELECT name FROM settings WHERE name = 'cursor_secret' ${dialect.forUpdate}` };
		const found = yield unless === "same secret"
			? { text: "SELECT hash FROM secrets WHERE hash = $1", values: [secret.hash] }
			: { text: "SELECT hash FROM secrets LIMIT 1" };
		if (found.length > 0) return false;
	}
	yield* insertRows(newKey, [toKeyRow(key)]);
	yield { text: addSecret, values: toSecretRow({ ...secret, keyId: key.id }) };
	return true;
}

function* rotateKey(_: Dialect, keyId: string, secret: NewSecret, graceEndsAtMs: number): Transaction<void> {
	const expire = `UPDATE secrets SET expires_at_ms = $1
		WHERE key_id = $2 AND (expires_at_ms IS NULL OR expires_at_ms > $1)`;
	yield { text: expire, values: [graceEndsAtMs, keyId] };
	yield { text: addSecret, values: toSecretRow({ ...secret, keyId }) };
}

function* revokeKey(_: Dialect, keyId: string, nowMs: number): Transaction<void> {
	const revoke = "UPDATE keys SET revoked_at_ms = $1 WHERE id = $2 AND revoked_at_ms IS NULL";
	yield { text: revoke, values: [nowMs, keyId] };
}

/** Ignores uses of keys that the store does not have, because a failover can lose a key that a node still knows. */
function* touchKeys(_: Dialect, uses: KeyUse[]): Transaction<void> {
	if (uses.length === 0) return;
	const ids = [...new Set(uses.map(({ keyId }) => keyId))];
	const read = `SELECT id FROM keys WHERE id IN (${ids.map((_, index) => `$${index + 1}`).join(", ")})`;
	const known = new Set((yield { text: read, values: ids }).map(([id]) => id));
	yield* insertRows(
		tables.keyUses,
		uses.filter(({ keyId }) => known.has(keyId)).map(toUseRow),
		`ON CONFLICT (key_id, operation) DO UPDATE SET last_used_at_ms = excluded.last_used_at_ms
		WHERE key_uses.last_used_at_ms < excluded.last_used_at_ms`,
	);
}

/** @returns the number of removed keys, at most `rows` */
function* sweepIdempotencyKeys({ addCounts }: Dialect, nowMs: number, rows: number): Transaction<number> {
	const swept = yield {
		text: `DELETE FROM idempotency_keys WHERE (caller, key) IN
		(SELECT caller, key FROM idempotency_keys WHERE created_at_ms <= $1 ORDER BY created_at_ms LIMIT $2)
		RETURNING pet_id`,
		values: [nowMs - idempotencyMs, rows],
	};
	if (swept.length < rows) for (const text of addCounts) yield { text };
	return swept.length;
}

function* probe(dialect: Dialect): Transaction<void> {
	const upgraded = yield { text: dialect.probe };
	if (upgraded.length > 0) throw new StoreUpgraded();
}

const transactions = {
	editPet,
	changeCategories,
	addKey,
	rotateKey,
	revokeKey,
	touchKeys,
	sweepIdempotencyKeys,
	probe,
};

export type TransactionName = keyof typeof transactions;
type Transactions = typeof transactions;
/** A transaction's parameters without the dialect. */
export type Given<Name extends TransactionName> = {
	[One in TransactionName]: Parameters<Transactions[One]> extends [Dialect, ...infer Rest] ? Rest : never;
}[Name];
export type Outcome<Name extends TransactionName> =
	ReturnType<Transactions[Name]> extends Transaction<infer Result> ? Result : never;

const byName: {
	[Name in TransactionName]: (dialect: Dialect, ...given: Given<Name>) => Transaction<Outcome<Name>>;
} = transactions;

/** Commits a transaction. Resolves when it is on disk. @throws StorageUnavailable */
export type Write = <Name extends TransactionName>(name: Name, ...given: Given<Name>) => Promise<Outcome<Name>>;

export function startTransaction<Name extends TransactionName>(
	dialect: Dialect,
	name: Name,
	given: Given<Name>,
): Transaction<Outcome<Name>> {
	return byName[name](dialect, ...given);
}
