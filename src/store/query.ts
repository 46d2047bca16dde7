// Builds the SQL for the filters, the order and the position of every read of animals (pages of the list, searches,
// exports and counts), for both engines. The placeholders are $1, $2 …, each with its type.

import { foldedText } from "../contract/equal-texts.ts";
import { type Comparison, type Filter, givenFilters, type SearchFilter } from "../contract/filters.ts";
import { int64FromDecimal } from "../contract/json.ts";
import type { FindPosition } from "./store.ts";
import { type Column, tables } from "./tables.ts";

/** SQL for texts, which differs between the engines. */
export interface TextSql {
	/** SQL that computes `foldedText` of a text. Its results are compared by their UTF-8 bytes. */
	folded(text: string): string;
	/** Whether `text` contains `part`. */
	contains(text: string, part: string): string;
}

/** Conditions, and the values of their placeholders in the same order. */
export interface Conditions {
	conditions: string[];
	values: unknown[];
	/** Adds a value. @returns the SQL of its placeholder */
	parameter(type: Column["type"], value: unknown): string;
}

const columnOf = (field: unknown) => tables.pets.columns[field as keyof typeof tables.pets.columns];

type Compare = (parts: Conditions, value: unknown, field: unknown, text: TextSql) => string;
const comparisons: Record<Comparison, Compare> = {
	equal({ parameter }, value, field) {
		const { name, type } = columnOf(field);
		return `${name} = ${parameter(type, value)}`;
	},
	absent: (_, field) => `${columnOf(field).name} IS NULL`,
	contains({ parameter }, value, _, text) {
		const named = text.contains(text.folded("name"), parameter("text", foldedText(String(value))));
		// The first part of the OR is fast: category names are read only once, and then only numbers are compared.
		const inNamed = `category_id IN (SELECT id FROM categories WHERE ${named})`;
		const number = int64FromDecimal(String(value).trim());
		const numbered = number === undefined ? "" : ` OR ${parameter("bigint", number)} IN (id, category_id)`;
		return `(${inNamed} OR ${named}${numbered})`;
	},
};

/** `text` is needed only for the filters of a search. */
export function conditionsOf(query: Filter): Conditions;
export function conditionsOf(query: SearchFilter, text: TextSql): Conditions;
export function conditionsOf(query: SearchFilter, text?: TextSql): Conditions {
	const values: unknown[] = [];
	const conditions: string[] = [];
	const parts: Conditions = {
		conditions,
		values,
		parameter: (type, value) => `CAST($${values.push(value)} AS ${type})`,
	};
	for (const [, { compares, field }, value] of givenFilters(query))
		conditions.push(comparisons[compares](parts, value, field, text as TextSql));
	return parts;
}

export function where({ conditions }: Conditions): string {
	return conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
}

export interface Order {
	isDescending: boolean;
	/** Orders by the folded name, then by id. If absent, the order is by id. */
	byName?: TextSql | undefined;
	/** Only animals after this position. */
	after?: FindPosition | undefined;
	/** Includes the animal at the position. */
	isFrom?: boolean;
}

/** Returns the SQL from WHERE to ORDER BY. Adds the position to the conditions. */
export function inOrder(parts: Conditions, { isDescending, byName, after, isFrom = false }: Order): string {
	const keys = byName ? [byName.folded("name"), "id"] : ["id"];
	if (after) {
		const id = parts.parameter("bigint", after.id);
		const position = byName ? [byName.folded(parts.parameter("text", after.name ?? "")), id] : [id];
		const operator = `${isDescending ? "<" : ">"}${isFrom ? "=" : ""}`;
		parts.conditions.push(
			byName ? `(${keys.join(", ")}) ${operator} (${position.join(", ")})` : `id ${operator} ${position}`,
		);
	}
	const order = keys.map((key) => `${key} ${isDescending ? "DESC" : "ASC"}`);
	return `${where(parts)} ORDER BY ${order.join(", ")}`;
}
