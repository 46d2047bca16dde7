// For both engines: finds animals by a part of their own or their category's name, by status and by category, ordered
// by id or name. For a text, a search reads animals one by one: no index has parts of names (decision 0027).

import type { Totals } from "../contract/console.ts";
import { categoryFilters } from "../contract/filters.ts";
import { idOfPetJson } from "../contract/pet.ts";
import { type Conditions, conditionsOf, inOrder, type TextSql, where } from "./query.ts";
import { countColumns, type Scan, totalsOf } from "./reads.ts";
import { type FindQuery, type FoundPets, hasTotals, isIndexed } from "./store.ts";

export interface FindSql extends TextSql {
	petJson: string;
	/** A condition that makes a search fail once nobody waits for it; absent if the engine can cancel statements. */
	isWanted?: string;
}

interface Finder {
	scan: Scan;
	scanList: Scan;
	findSql: FindSql;
}

/** A search for a text counts at most this many animals. */
const countedMax = 10_000;

export async function findPets(engine: Finder, query: FindQuery, signal?: AbortSignal): Promise<FoundPets> {
	const finder = isIndexed(query) ? { ...engine, scan: engine.scanList } : engine;
	const page = await readPage(finder, query, signal);
	if (!query.isCounted) return page;
	const isWhole = !page.next && !query.after;
	const isOfCategory = hasTotals(query);
	const totals = isWhole && !isOfCategory ? undefined : await readTotals(engine, query);
	const found = { ...page, ...(isOfCategory && { totals }) };
	if (isWhole) return { ...found, total: page.pets.length };
	const wanted = query.without ? "none" : query.status;
	const all = totals && Object.values(totals).reduce((sum, count) => sum + count);
	if (totals) return { ...found, total: wanted ? totals[wanted] : all };
	return { ...found, ...(await countFound(finder, query, signal)) };
}

async function readPage({ findSql, scan }: Finder, query: FindQuery, signal?: AbortSignal): Promise<FoundPets> {
	const { after, limit, sort = "id" } = query;
	const isByName = sort.endsWith("name");
	const parts = searchParts(query, findSql, isByName);
	const order = { isDescending: sort.startsWith("-"), byName: isByName ? findSql : undefined, after };
	const rest = `FROM pets ${inOrder(parts, order)} LIMIT ${limit + 1}`;
	const columns = [findSql.petJson, ...(isByName ? ["name"] : [])];
	const rows = (await scan(columns, rest, parts.values, signal)) as [json: string, name?: string][];
	const pets = rows.slice(0, limit).map(([json]) => json);
	const [json, name] = (rows.length > limit && rows[limit - 1]) || [];
	return { pets, ...(json !== undefined && { next: { id: idOfPetJson(json), ...(name !== undefined && { name }) } }) };
}

/** @param isLong whether the order makes the search long, as one by name does; a search for a text is always long */
function searchParts(query: FindQuery, findSql: FindSql, isLong = false): Conditions {
	const parts = conditionsOf(query, findSql);
	const { isWanted } = findSql;
	if ((isLong || query.name !== undefined) && isWanted !== undefined) parts.conditions.unshift(isWanted);
	return parts;
}

/** The number of animals by status (in the query's category, if it has one). Triggers keep these numbers up to date. */
async function readTotals({ scanList, findSql }: Finder, query: FindQuery): Promise<Totals | undefined> {
	const filters = categoryFilters(query);
	if (!filters) return undefined;
	const parts = conditionsOf(filters, findSql);
	if (parts.conditions.length === 0) return totalsOf(await scanList(countColumns, "FROM pet_totals"));
	return totalsOf(await scanList(countColumns, `FROM pet_counts ${where(parts)}`, parts.values));
}

/** Counts the animals of a search by reading them: all, or at most `countedMax` if the query has a text. */
async function countFound({ findSql, scan }: Finder, query: FindQuery, signal?: AbortSignal) {
	const parts = searchParts(query, findSql);
	const limit = query.name === undefined ? "" : `LIMIT ${countedMax + 1}`;
	const some = `FROM (SELECT 1 FROM pets ${where(parts)} ${limit}) AS found`;
	const [[counted] = []] = await scan(["count(*)"], some, parts.values, signal);
	const total = Number(counted);
	return limit !== "" && total > countedMax ? { total: countedMax, isMore: true } : { total };
}
