// Categories, for both engines: their names, and the list with the number of animals in each category. Names are unique
// even if case and accents are ignored (`foldedText`). A category without a name has only its number.

import { type Category, type CategoryChange, type CategoryResult, foldedText } from "../contract/console.ts";
import type { Dialect, Transaction } from "./dialect.ts";
import type { Scan } from "./reads.ts";
import type { CategoryName } from "./store.ts";
import { createRowWriter, insertRows, tables } from "./tables.ts";

const toRow = createRowWriter(tables.categories);
const setName = "ON CONFLICT (id) DO UPDATE SET name = excluded.name, folded = excluded.folded";
/** The exclusive upper bound of new numbers: programs round larger ones. */
const idEnd = 2n ** 53n;

/** See `Categories.apply`. */
export function* changeCategories(
	{ forUpdate }: Dialect,
	changes: readonly CategoryChange[],
): Transaction<CategoryResult[]> {
	// Lets one transaction run at a time, so that two nodes cannot take the same name or the same number.
	yield { text: `SELECT name FROM settings WHERE name = 'cursor_secret' ${forUpdate}` };
	const results: CategoryResult[] = [];
	for (const change of changes) results.push(yield* changeCategory(change));
	return results;
}

function* changeCategory({ id: given, name }: CategoryChange): Transaction<CategoryResult> {
	if (name === undefined) return yield* forget(BigInt(given as bigint));
	const folded = foldedText(name);
	const owner = yield* read("folded = $1", folded);
	if (owner && given === undefined) return { outcome: "unchanged", ...owner };
	const id = given === undefined ? yield* nextId() : BigInt(given);
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

/** One more than the largest number below 2^53 that a category with a name or with animals has. */
function* nextId(): Transaction<bigint> {
	const text = `SELECT max(id) FROM (SELECT 0 AS id
		UNION ALL SELECT max(id) FROM categories WHERE id < ${idEnd}
		UNION ALL SELECT max(category_id) FROM pet_counts WHERE category_id < ${idEnd}) AS used`;
	const [[newest = 0n] = []] = yield { text };
	let id = (newest as bigint) + 1n;
	while (yield* read("id = $1", id)) id++;
	return id;
}

const number = "CAST(sum(animals) AS BIGINT)";
/** The categories of all animals: categories with names first, then by descending number of animals. */
const usedCategories = `FROM pet_counts GROUP BY category_id HAVING sum(animals) > 0
	ORDER BY category_id IN (SELECT id FROM categories) DESC, sum(animals) DESC, category_id LIMIT $1`;

/** See `Categories.list`. @param names all categories that have a name, by id */
export async function listCategories(scan: Scan, names: readonly CategoryName[], limit: number): Promise<Category[]> {
	const rows = (await scan(["category_id", number], usedCategories, [limit])) as [bigint, bigint][];
	const animals = new Map(rows.map(([id, count]) => [id, Number(count)]));
	const isUsed = ({ id }: CategoryName) => Number(animals.has(id));
	const named = names.toSorted((one, other) => isUsed(other) - isUsed(one)).slice(0, limit);
	const found = new Map<bigint, Category>(
		named.map((each) => [each.id, { ...each, animals: animals.get(each.id) ?? 0 }]),
	);
	for (const [id, count] of animals) {
		if (found.size === limit) break;
		if (!found.has(id)) found.set(id, { id, animals: count });
	}
	return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
