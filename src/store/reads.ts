// Reads pages and counts of animals, and API keys, for both engines. The database itself writes the JSON of animals, so
// that no value is converted twice.

import type { Totals } from "../contract/console.ts";
import { filterNames } from "../contract/filters.ts";
import { idOfPetJson, petFields } from "../contract/pet.ts";
import { conditionsOf, inOrder } from "./query.ts";
import type {
	KeyRecord,
	KeyRow,
	KeyUse,
	ListedKey,
	PageQuery,
	PetCount,
	PetPage,
	Secret,
	StoreVersion,
} from "./store.ts";
import { type Column, columnNames, columnsOf, createRecordReader, pickColumns, type Row, tables } from "./tables.ts";

/** SQL for the JSON that `petJson` returns. @param quoted returns SQL that converts a text column to a JSON string */
export function petJsonSql(quoted: (column: string) => string): string {
	const members = petFields.map((field, index) => {
		const { name, type, isOptional, fromSql }: Column = tables.pets.columns[field];
		if (fromSql) throw new Error(`the JSON of ${field} must be its stored value`);
		const member = `'${index === 0 ? "{" : ","}"${field}":' || ${type === "text" ? quoted(name) : name}`;
		return isOptional ? `CASE WHEN ${name} IS NULL THEN '' ELSE ${member} END` : member;
	});
	return `${members.join(" || ")} || '}'`;
}

/** The SQL of pages, by the page's name. Each SQL is built once, because lists are read very often. */
const pageTexts = new Map<string, string>();

/** A page's SQL from WHERE to ORDER BY, with its values, and a name that all pages with the same SQL share. */
export function pageSql({ after = 0n, upTo, limit: _, ...filter }: PageQuery) {
	const given = filterNames.filter((field) => filter[field] !== undefined);
	const isBackward = upTo !== undefined;
	const name = [isBackward ? "pageUpTo" : "page", ...given].join("_");
	const id = upTo ?? after;
	let text = pageTexts.get(name);
	if (text === undefined) {
		text = inOrder(conditionsOf(filter), { isDescending: isBackward, after: { id }, isFrom: isBackward });
		pageTexts.set(name, text);
	}
	return { name, text, values: [...given.map((field) => filter[field]), id] };
}

export function nameOfPage(query: PageQuery): string {
	const { after, upTo, limit } = query;
	return `page ${after} ${upTo} ${limit} ${filterNames.map((field) => query[field]).join(" ")}`;
}

/** @param pets the animals' JSON in the query's order, with one animal beyond the limit if more animals follow */
export function toPetPage(pets: string[], { limit, upTo }: PageQuery, version: StoreVersion): PetPage {
	const hasMore = pets.length > limit;
	if (hasMore) pets.pop();
	if (upTo !== undefined) pets.reverse();
	const [first, last] = [pets.at(0), pets.at(-1)];
	const ids = first && last ? { ids: { first: idOfPetJson(first), last: idOfPetJson(last) } } : undefined;
	return { json: `[${pets.join()}]`, ...ids, hasMore, version };
}

/** Reads rows and the store's version. @param rest the SELECT from its FROM on, with $1, $2 … for the values */
export type Select = (
	columns: readonly string[],
	rest: string,
	values?: readonly unknown[],
) => Promise<{ rows: Row[]; version: StoreVersion }>;

/**
 * A SELECT that reads many rows without delaying other reads: only a few scans run at the same time.
 * @param rest the SELECT from its FROM on, with $1, $2 … for the values
 * @param signal when aborted, the scan is dropped or cancelled @throws StorageUnavailable, or the signal's reason
 */
export type Scan = (
	columns: readonly string[],
	rest: string,
	values?: readonly unknown[],
	signal?: AbortSignal,
) => Promise<Row[]>;

/** See `Store.countPets`. */
export async function countPets(select: Select): Promise<PetCount> {
	const { rows, version } = await select(countColumns, "FROM pet_totals");
	return { counts: totalsOf(rows), version };
}

/** The columns to read from `pet_totals`, or for one category from `pet_counts`. */
export const countColumns = ["status", "animals"];

export function totalsOf(rows: readonly Row[]): Totals {
	const totals = { available: 0, pending: 0, sold: 0, none: 0 };
	for (const [status, animals] of rows) totals[(status || "none") as keyof Totals] = Number(animals);
	return totals;
}

/** The columns of a secret except its hash, which never leaves the store. */
const shownSecret = pickColumns(tables.secrets, ["last4", "createdAtMs", "expiresAtMs"]);
const readKey = createRecordReader<KeyRecord>(tables.keys);
const readSecret = createRecordReader<Secret>(shownSecret);
const readUse = createRecordReader<KeyUse>(tables.keyUses);
const keyWidth = columnsOf(tables.keys).length;

/** The columns that `readKeyRow` reads, of keys `k` and their secrets `s`. */
export const keyColumns = [...columnNames(tables.keys, "k."), ...columnNames(shownSecret, "s.")];
/** For this join, even a distributed engine keeps both tables in one place or on every node, because they are small. */
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
