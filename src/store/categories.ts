// Categories, for both engines: their names, and the list with the number of animals in each category. Names are unique
// even if case and accents are ignored (`foldedText`). A category without a name has only its number.

import { type Category, type CategoryChange, type CategoryResult, foldedText } from "../contract/console.ts";
import type { Dialect, Transaction } from "./dialect.ts";
import type { Scan } from "./reads.ts";
import type { CategoryName } from "./store.ts";
import { createRecordReader, createRowWriter, insertRows, pickColumns, tables } from "./tables.ts";

const toRow = createRowWriter(tables.categories);
const named = pickColumns(tables.categories, ["id", "name"]);
const toName = createRecordReader<CategoryName>(named);
const setName = "ON CONFLICT (id) DO UPDATE SET name = excluded.name, folded = excluded.folded";
/** The exclusive upper bound of new numbers: programs round larger ones. */
const idEnd = 2n ** 53n;

/** The categories in use at some moment, to find the next free number. */
interface UsedCategories {
	/** The largest category below 2^53 that an animal had at that moment. */
	largest: bigint;
	/** The last animal and the last edit before that moment. */
	lastId: bigint;
	lastEdit: bigint;
}

/** See `Categories.apply`. @param used needed if a change has no id */
export function* changeCategories(
	{ forUpdate }: Dialect,
	changes: readonly CategoryChange[],
	used?: UsedCategories,
): Transaction<CategoryResult[]> {
	// Lets one transaction run at a time, so that two nodes cannot take the same name or the same number.
	yield { text: `SELECT name FROM settings WHERE name = 'cursor_secret' ${forUpdate}` };
	const results: CategoryResult[] = [];
	for (const change of changes) results.push(yield* changeCategory(change, used));
	return results;
}

function* changeCategory({ id: given, name }: CategoryChange, used?: UsedCategories): Transaction<CategoryResult> {
	if (name === undefined) return yield* forget(BigInt(given as bigint));
	const folded = foldedText(name);
	const owner = yield* read("folded = $1", folded);
	if (owner && given === undefined) return { outcome: "unchanged", ...owner };
	const id = given === undefined ? yield* nextId(used) : BigInt(given);
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
	return row && toName(row);
}

/** One more than the largest category number in use: by a name, in `used`, or by a later animal or edit. */
function* nextId(used: UsedCategories | undefined): Transaction<bigint> {
	const { largest = 0n, lastId = 0n, lastEdit = 0n } = used ?? {};
	const text = `SELECT coalesce(max(id), 0) FROM (
		SELECT id FROM categories
		UNION ALL SELECT category_id FROM pets WHERE id > $1
		UNION ALL SELECT to_category_id FROM edits WHERE id > $2) AS used WHERE id < ${idEnd}`;
	const [[newest = 0n] = []] = yield { text, values: [lastId, lastEdit] };
	let id = [0n, largest, newest as bigint].reduce((one, other) => (one > other ? one : other)) + 1n;
	while (yield* read("id = $1", id)) id++;
	return id;
}

/** The categories of all animals: categories with names first, then by descending number of animals. */
const usedCategories = `FROM pets GROUP BY category_id
	ORDER BY category_id IN (SELECT id FROM categories) DESC, count(*) DESC, category_id LIMIT $1`;

/** See `Categories.list`. @param names all categories that have a name, by id */
export async function listCategories(scan: Scan, names: readonly CategoryName[], limit: number): Promise<Category[]> {
	const rows = (await scan(["category_id", "count(*)"], usedCategories, [limit])) as [bigint, bigint][];
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

/** Reads the categories in use. `lastId` and `lastEdit` must not be newer than what `scan` sees. */
export async function readUsed(scan: Scan, { lastId, lastEdit }: Omit<UsedCategories, "largest">) {
	const [[largest] = []] = await scan([`coalesce(max(category_id), 0)`], `FROM pets WHERE category_id < ${idEnd}`);
	return { largest: largest as bigint, lastId, lastEdit };
}
