// For both engines: the names of categories, and the list of categories, each with the count of its animals. A new name
// must not equal another category's name (`comparedName`). A category without a name has only an id.

import {
	type Category,
	type CategoryChange,
	type CategoryResult,
	categoryChangesMax,
	categoryNamesMax,
} from "../contract/console.ts";
import { comparedName } from "../contract/equal-texts.ts";
import type { Dialect, Transaction } from "./dialect.ts";
import type { Scan } from "./reads.ts";
import type { CategoryName } from "./store.ts";
import { createRowWriter, insertRows, tables } from "./tables.ts";

const toRow = createRowWriter(tables.categories);
const setName = "ON CONFLICT (id) DO UPDATE SET name = excluded.name, folded = excluded.folded";
/** Ids of new categories are smaller than this, because many programs round larger integers. */
const idEnd = 2n ** 53n;

/** See `Categories.apply`. @returns undefined if there would be too many names; then nothing was changed */
export function* changeCategories(
	{ forUpdate }: Dialect,
	changes: readonly CategoryChange[],
): Transaction<CategoryResult[] | undefined> {
	// This lock lets only one transaction at a time change categories, so two nodes cannot take the same name or id.
	yield { text: `SELECT name FROM settings WHERE name = 'cursor_secret' ${forUpdate}` };
	const [[named] = []] = yield { text: "SELECT count(*) FROM categories" };
	if (Number(named) + changes.length > categoryNamesMax) {
		const added = yield* countAdded(changes);
		if (added > 0 && Number(named) + added > categoryNamesMax) return undefined;
	}
	const numbers: Numbers = {};
	const results: CategoryResult[] = [];
	for (const change of changes) results.push(yield* changeCategory(change, numbers));
	return results;
}

/** How many new names the changes would give to categories that have none. */
function* countAdded(changes: readonly CategoryChange[]): Transaction<number> {
	const added = new Set<string>();
	for (const { id, name } of changes) {
		if (name === undefined || (yield* read("folded = $1", comparedName(name)))) continue;
		if (id === undefined || !(yield* read("id = $1", BigInt(id)))) added.add(comparedName(name));
	}
	return added.size;
}

function* changeCategory({ id: given, name }: CategoryChange, numbers: Numbers): Transaction<CategoryResult> {
	if (name === undefined) return yield* forget(BigInt(given as bigint));
	const folded = comparedName(name);
	const owner = yield* read("folded = $1", folded);
	if (owner && given === undefined) return { outcome: "unchanged", ...owner };
	const id = given === undefined ? yield* nextId(numbers) : BigInt(given);
	if (owner && owner.id !== id) return { outcome: "taken", ...owner };
	if (owner?.name === name) return { outcome: "unchanged", id, name };
	yield* insertRows(tables.categories, [toRow({ id, name, folded })], setName);
	return { outcome: "named", id, name };
}

function* forget(id: bigint): Transaction<CategoryResult> {
	const gone = yield { text: "DELETE FROM categories WHERE id = $1 RETURNING id", values: [id] };
	return { outcome: gone.length > 0 ? "forgotten" : "unchanged", id };
}

function* read(condition: string, value: unknown): Transaction<CategoryName | undefined> {
	const [row] = yield { text: `SELECT id, name FROM categories WHERE ${condition}`, values: [value] };
	return row && { id: row[0] as bigint, name: row[1] as string };
}

/** The id to try next for a new category. It is read from the store only once for a list of changes. */
type Numbers = { next?: bigint };

function* nextId(numbers: Numbers): Transaction<bigint> {
	let id = numbers.next ?? (yield* firstFree());
	while (yield* read("id = $1", id)) id++; // An earlier change of the list has named the category with this number.
	numbers.next = id + 1n;
	return id;
}

/** The ids below 2^53 of all categories that have a name or animals. */
const used = `(SELECT 0 AS id UNION SELECT id FROM categories WHERE id BETWEEN 0 AND ${idEnd - 1n}
	UNION SELECT category_id FROM pet_counts WHERE category_id BETWEEN 0 AND ${idEnd - 1n}) AS used`;
const largest = `SELECT max(id) FROM (SELECT 0 AS id
	UNION ALL SELECT max(id) FROM categories WHERE id < ${idEnd}
	UNION ALL SELECT max(category_id) FROM pet_counts WHERE category_id < ${idEnd}) AS used`;
const largestGap = `SELECT id + 1 FROM
	(SELECT id, lead(id, 1, ${idEnd}) OVER (ORDER BY id) AS next FROM ${used}) AS gaps ORDER BY next - id DESC LIMIT 1`;

/** The id after the largest used one; if too few ids are left after it, the first id of the largest gap. */
function* firstFree(): Transaction<bigint> {
	const [[last = 0n] = []] = yield { text: largest };
	if ((last as bigint) + BigInt(categoryChangesMax) < idEnd) return (last as bigint) + 1n;
	const [[first] = []] = yield { text: largestGap };
	return first as bigint;
}

const number = "CAST(sum(animals) AS BIGINT)";
/** The categories with animals: those that have names first; within both groups, those with the most animals first. */
const usedCategories = `FROM pet_counts GROUP BY category_id HAVING sum(animals) > 0
	ORDER BY category_id IN (SELECT id FROM categories) DESC, sum(animals) DESC, category_id LIMIT $1`;

/** Categories with names, those with animals first. */
const namedCategories = `FROM categories ORDER BY id IN (SELECT category_id FROM pet_counts
	GROUP BY category_id HAVING sum(animals) > 0) DESC, id LIMIT $1`;

/** See `Categories.list`. */
export async function listCategories(scan: Scan, limit: number): Promise<Category[]> {
	const rows = (await scan(["category_id", number], usedCategories, [limit])) as [bigint, bigint][];
	const animals = new Map(rows.map(([id, count]) => [id, Number(count)]));
	const named = (await scan(["id", "name"], namedCategories, [limit])) as [bigint, string][];
	const found = new Map<bigint, Category>(named.map(([id, name]) => [id, { id, name, animals: animals.get(id) ?? 0 }]));
	for (const [id, count] of animals) {
		if (found.size === limit) break;
		if (!found.has(id)) found.set(id, { id, animals: count });
	}
	return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
