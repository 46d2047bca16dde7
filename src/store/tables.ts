// Declares each table once: its record, and each field's column and type. Column lists, inserts, conversions and the
// copy of a whole store are derived from this file. Migrations create the columns. Times are milliseconds since 1970.

import type { PastEdit } from "../contract/console.ts";
import type { Pet } from "../contract/pet.ts";

/** `caller`: each API key has Idempotency-Keys of its own; all imports together have theirs (src/http/imports.ts). */
export interface IdempotencyKey {
	caller: string;
	key: string;
}

/** A stored Idempotency-Key, with the create that it was used for. */
export interface IdempotencyKeyRecord extends IdempotencyKey {
	petId: bigint;
	/** The fingerprint of the request. Editing the animal does not change it; removing the animal makes it empty. */
	fingerprint: string;
	createdAtMs: number;
	/** If a row of an import used the key: where the row came from. Later imports read this (src/http/imports.ts). */
	origin?: string | undefined;
}

export interface NewKey {
	id: string;
	name: string;
	scopes: string[];
	/** For example `100/1m`; absent if the service's default limit applies. */
	rate?: string | undefined;
	createdAtMs: number;
}

export interface Secret {
	/** The last characters of the key, for display. */
	last4: string;
	createdAtMs: number;
	expiresAtMs?: number | undefined;
}

export interface NewSecret extends Secret {
	/** SHA-256 of the key's text, in hex. The text itself is never stored. */
	hash: string;
}

export interface KeyRecord extends NewKey {
	revokedAtMs?: number | undefined;
}

/** The newest secret of a key has the largest number. */
interface SecretRecord extends NewSecret {
	keyId: string;
	number: number;
}

export interface KeyUse {
	keyId: string;
	operation: string;
	usedAtMs: number;
}

/** A named category. A new name must not equal the name of another category (`comparedName`). */
export interface CategoryRecord {
	id: bigint;
	name: string;
	/** The result of `comparedName` for the name, or `ID …` (migrations/008.sql). */
	folded: string;
}

export interface EditRecord extends PastEdit {
	petId: bigint;
}

type SqlValue = bigint | number | string | null;

/** An absent field is NULL. */
export interface Column {
	name: string;
	type: "text" | "bigint";
	isOptional: boolean;
	/** Conversions, needed if the stored value differs from the field's value. */
	toSql?: (value: never) => SqlValue;
	fromSql?: (value: never) => unknown;
}

const text = (name: string): Column => ({ name, type: "text", isOptional: false });
const int64 = (name: string): Column => ({ name, type: "bigint", isOptional: false });
/** An integer that a JavaScript number represents exactly, such as milliseconds since 1970. */
const number = (name: string): Column => ({ ...int64(name), fromSql: Number });
/** A list of words, stored as one text with spaces between them. */
const words = (name: string): Column => ({
	...text(name),
	toSql: (list: string[]) => list.join(" "),
	fromSql: (joined: string) => joined.split(" "),
});
const optional = (column: Column): Column => ({ ...column, isOptional: true });

/** A table: its columns by field. The first `keyLength` columns are the primary key. */
export interface Table<Field extends string = string> {
	name: string;
	keyLength: number;
	columns: Readonly<Record<Field, Column>>;
}

function table<Rec>(name: string, keyLength: number, columns: Table<Extract<keyof Rec, string>>["columns"]) {
	return { name, keyLength, columns };
}

/** The tables, in the order in which they are copied. */
export const tables = {
	pets: table<Pet>("pets", 1, {
		id: int64("id"),
		name: text("name"),
		categoryId: int64("category_id"),
		status: optional(text("status")),
	}),
	keys: table<KeyRecord>("keys", 1, {
		id: text("id"),
		name: text("name"),
		scopes: words("scopes"),
		rate: optional(text("rate")),
		createdAtMs: number("created_at_ms"),
		revokedAtMs: optional(number("revoked_at_ms")),
	}),
	secrets: table<SecretRecord>("secrets", 1, {
		hash: text("hash"),
		keyId: text("key_id"),
		number: number("number"),
		last4: text("last4"),
		createdAtMs: number("created_at_ms"),
		expiresAtMs: optional(number("expires_at_ms")),
	}),
	keyUses: table<KeyUse>("key_uses", 2, {
		keyId: text("key_id"),
		operation: text("operation"),
		usedAtMs: number("last_used_at_ms"),
	}),
	idempotencyKeys: table<IdempotencyKeyRecord>("idempotency_keys", 2, {
		caller: text("caller"),
		key: text("key"),
		petId: int64("pet_id"),
		fingerprint: text("fingerprint"),
		createdAtMs: number("created_at_ms"),
		origin: optional(text("origin")),
	}),
	edits: table<EditRecord>("edits", 1, {
		id: int64("id"),
		atMs: number("at_ms"),
		editor: text("editor"),
		action: text("action"),
		petId: int64("pet_id"),
		fromStatus: optional(text("from_status")),
		toStatus: optional(text("to_status")),
		fromCategoryId: optional(int64("from_category_id")),
		toCategoryId: optional(int64("to_category_id")),
	}),
	categories: table<CategoryRecord>("categories", 1, {
		id: int64("id"),
		name: text("name"),
		folded: text("folded"),
	}),
};

export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as TableName[];

export type Row = (bigint | string | null)[];

export function columnsOf({ columns }: Table): Column[] {
	return Object.values(columns);
}

export function pickColumns<Field extends string, Part extends Field>(
	{ name, columns }: Table<Field>,
	fields: readonly Part[],
): Table<Part> {
	const chosen = Object.fromEntries(fields.map((field) => [field, columns[field]]));
	return { name, keyLength: 0, columns: chosen as Record<Part, Column> };
}

/** @param prefix for example `k.` */
export function columnNames(table: Table, prefix = ""): string[] {
	return columnsOf(table).map(({ name }) => prefix + name);
}

/** For example `id, name, category_id, status`. */
export function columnList(table: Table): string {
	return columnNames(table).join(", ");
}

/** A statement with the placeholders $1, $2 … for its values. */
export interface Statement {
	/** If a statement has a name, PostgreSQL plans it only once for each connection. */
	name?: string;
	text: string;
	values?: readonly unknown[];
}

/** The most rows that one statement inserts, because SQLite accepts at most 32,766 values in a statement. */
const rowsPerInsert = 1000;

/** @param conflict SQL that decides what happens to an existing row */
export function insertRows(table: Table, rows: readonly (readonly unknown[])[], conflict = ""): Statement[] {
	const inserts: Statement[] = [];
	for (let start = 0; start < rows.length; start += rowsPerInsert) {
		const part = rows.slice(start, start + rowsPerInsert);
		let count = 0;
		const parameters = part.map((row) => `(${row.map(() => `$${++count}`).join(", ")})`);
		const text = `INSERT INTO ${table.name} (${columnList(table)}) VALUES ${parameters.join(", ")} ${conflict}`;
		inserts.push({ text, values: part.flat() });
	}
	return inserts;
}

/** Returns a function that converts a record to values in column order. */
export function createRowWriter<Field extends string>({
	columns,
}: Table<Field>): (record: { readonly [F in Field]?: unknown }) => SqlValue[] {
	const entries = Object.entries<Column>(columns) as [Field, Column][];
	return (record) => entries.map(([field, column]) => toSql(column, record[field]));
}

function toSql({ toSql }: Column, value: unknown): SqlValue {
	if (value === undefined) return null;
	return toSql ? toSql(value as never) : (value as SqlValue);
}

/** Returns a function that converts a row in column order to a record, without absent fields. */
export function createRecordReader<Rec>({
	columns,
}: Table<Extract<keyof Rec, string>>): (row: readonly unknown[]) => Rec {
	const entries = Object.entries<Column>(columns);
	return (row) => {
		const present = entries.flatMap(([field, { fromSql }], index) => {
			const value = row[index];
			return value === null ? [] : [[field, fromSql ? fromSql(value as never) : value]];
		});
		return Object.fromEntries(present);
	};
}
