// Finds animals by part of their name or of their category's, by status and by category, ordered by id or name, for
// both engines. A search reads all animals once: no index contains parts of names (docs/decisions/0027-find.md).

import type { Totals } from "../contract/console.ts";
import { foldedText } from "../contract/equal-texts.ts";
import { int64FromDecimal } from "../contract/json.ts";
import { filterNames } from "../contract/operations.ts";
import { idOfPetJson } from "../contract/pet.ts";
import { countColumns, type Scan, totalsOf } from "./reads.ts";
import { type FindQuery, type FoundPets, isIndexed } from "./store.ts";
import { type Column, tables } from "./tables.ts";

export interface FindSql {
	petJson: string;
	/** The result of `foldedText`, which is compared by its UTF-8 bytes. */
	folded(text: string): string;
	/** Whether `text` contains `part`. */
	contains(text: string, part: string): string;
	/** A condition that ends a search that nobody waits for; absent if the engine cancels statements. */
	isWanted?: string;
}

interface Finder {
	scan: Scan;
	scanList: Scan;
	findSql: FindSql;
}

/** The largest total of a search for a text. */
const countedMax = 10_000;

export async function findPets(engine: Finder, query: FindQuery, signal?: AbortSignal): Promise<FoundPets> {
	const finder = isIndexed(query) ? { ...engine, scan: engine.scanList } : engine;
	const page = await readPage(finder, query, signal);
	if (!query.isCounted) return page;
	const isWhole = !page.next && !query.after;
	const isOfCategory = query.category !== undefined;
	const totals = isWhole && !isOfCategory ? undefined : await readTotals(engine, query);
	const found = { ...page, ...(isOfCategory && totals && { totals }) };
	if (isWhole) return { ...found, total: page.pets.length };
	const wanted = query.without ? "none" : query.status;
	const all = totals && Object.values(totals).reduce((sum, count) => sum + count);
	if (totals) return { ...found, total: wanted ? totals[wanted] : all };
	return { ...found, ...(await countFound(finder, query, signal)) };
}

async function readPage({ findSql, scan }: Finder, query: FindQuery, signal?: AbortSignal): Promise<FoundPets> {
	const { after, limit } = query;
	const { isByName, isDescending } = orderOf(query);
	const { conditions, values, parameter } = conditionsOf(query, findSql, isByName || query.name !== undefined);
	const keys = isByName ? [findSql.folded("name"), "id"] : ["id"];
	if (after) {
		const position = [
			...(isByName ? [findSql.folded(parameter("text", after.name ?? ""))] : []),
			parameter("bigint", after.id),
		];
		conditions.push(`(${keys.join(", ")}) ${isDescending ? "<" : ">"} (${position.join(", ")})`);
	}
	const order = keys.map((key) => `${key} ${isDescending ? "DESC" : "ASC"}`);
	const rest = `FROM pets ${whereAll(conditions)} ORDER BY ${order.join(", ")} LIMIT ${limit + 1}`;
	const columns = [findSql.petJson, ...(isByName ? ["name"] : [])];
	const rows = (await scan(columns, rest, values, signal)) as [json: string, name?: string][];
	const pets = rows.slice(0, limit).map(([json]) => json);
	const [json, name] = (rows.length > limit && rows[limit - 1]) || [];
	return { pets, ...(json !== undefined && { next: { id: idOfPetJson(json), ...(name !== undefined && { name }) } }) };
}

const orderOf = ({ sort = "id" }: FindQuery) => ({
	isByName: sort.endsWith("name"),
	isDescending: sort.startsWith("-"),
});

const whereAll = (conditions: string[]) => (conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "");

/**
 * @param isLong whether each animal takes long, as it does if the query has a text
 * @returns the conditions of a search, their values, and a function that adds a value and returns its SQL
 */
function conditionsOf(query: FindQuery, { folded, contains, isWanted }: FindSql, isLong = query.name !== undefined) {
	const values: unknown[] = [];
	const parameter = (type: Column["type"], value: unknown) => `CAST($${values.push(value)} AS ${type})`;
	const conditions = isLong && isWanted !== undefined ? [isWanted] : [];
	for (const field of filterNames) {
		const { name, type } = tables.pets.columns[field];
		if (query[field] !== undefined) conditions.push(`${name} = ${parameter(type, query[field])}`);
	}
	if (query.without !== undefined) conditions.push(`${tables.pets.columns[query.without].name} IS NULL`);
	if (query.category !== undefined) conditions.push(`category_id = ${parameter("bigint", query.category)}`);
	if (query.name !== undefined) {
		const named = contains(folded("name"), parameter("text", foldedText(query.name)));
		// First, because it compares only numbers: the names of categories are read once.
		const inNamed = `category_id IN (SELECT id FROM categories WHERE ${named})`;
		const number = int64FromDecimal(query.name.trim());
		const numbered = number === undefined ? "" : ` OR ${parameter("bigint", number)} IN (id, category_id)`;
		conditions.push(`(${inNamed} OR ${named}${numbered})`);
	}
	return { conditions, values, parameter };
}

/** The animals by status of the category, or of the store, if the query filters by nothing else. */
async function readTotals({ scanList }: Finder, query: FindQuery): Promise<Totals | undefined> {
	const { name, category } = query;
	const isOther = filterNames.some((field) => field !== "status" && query[field] !== undefined);
	if (name !== undefined || isOther) return undefined;
	if (category === undefined) return totalsOf(await scanList(countColumns, "FROM pet_totals"));
	return totalsOf(await scanList(countColumns, "FROM pet_counts WHERE category_id = CAST($1 AS bigint)", [category]));
}

/** Counts the animals of a search by reading them: all, or at most `countedMax` if it has a text. */
async function countFound({ findSql, scan }: Finder, query: FindQuery, signal?: AbortSignal) {
	const { conditions, values } = conditionsOf(query, findSql);
	const limit = query.name === undefined ? "" : `LIMIT ${countedMax + 1}`;
	const some = `FROM (SELECT 1 FROM pets ${whereAll(conditions)} ${limit}) AS found`;
	const [[counted] = []] = await scan(["count(*)"], some, values, signal);
	const total = Number(counted);
	return limit !== "" && total > countedMax ? { total: countedMax, isMore: true } : { total };
}
