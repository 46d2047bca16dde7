// Reads of animals in PostgreSQL. Those of one turn of the event loop are sent together when it ends.

import { type Pet, petStatuses } from "../../contract/pet.ts";
import { createKeptPages, type KeptPages, nameOfPage } from "../kept-pages.ts";
import { type StatusGroup, toPetCount } from "../pet-count.ts";
import { toPetPage } from "../pet-page.ts";
import type { PageQuery, PetPage, Store } from "../store.ts";
import { columnList, columnNames, createRecordReader, tables } from "../tables.ts";
import { createTurnBatch } from "../turn-batch.ts";
import type { Query } from "./pool.ts";
import { historyOf, lastEditOf, onPrimary, type Read, selectWithState, stateOnly } from "./state.ts";

// With animals distributed by id, a get would ask the shards of its ids. A page is a range of ids, and so is a count:
// both would ask every shard.
const petsById = {
	name: "petsById",
	text: `SELECT ${columnList(tables.pets)} FROM pets WHERE id = ANY($1::bigint[]) AND ${onPrimary}`,
};
const pages = {
	page: pageOf("page", "id > $1 ORDER BY id LIMIT $2"),
	pageWithStatus: pageOf("pageWithStatus", "status = $1 AND id > $2 ORDER BY id LIMIT $3"),
	pageUpTo: pageOf("pageUpTo", "id <= $1 ORDER BY id DESC LIMIT $2"),
	pageUpToWithStatus: pageOf("pageUpToWithStatus", "status = $1 AND id <= $2 ORDER BY id DESC LIMIT $3"),
};

function pageOf(name: string, condition: string) {
	const lastId = "(SELECT last_id FROM counters WHERE name = 'pets')";
	return { name, text: selectWithState(columnNames(tables.pets), `FROM pets WHERE ${condition}`, lastId) };
}

const countedStatuses = [...petStatuses, null];
const statusCounts = countedStatuses.map((status) => {
	const isStatus = status === null ? "status IS NULL" : `status = '${status}'`;
	return `count(*) FILTER (WHERE ${isStatus})`;
});
const countByStatus = {
	name: "countByStatus",
	text: selectWithState(
		["max(id)", ...statusCounts],
		"FROM (SELECT id, status FROM pets WHERE id > $1 ORDER BY id LIMIT $2) AS next",
	),
};

const toPet = createRecordReader<Pet>(tables.pets);

export function createReads(query: Query, read: Read): Pick<Store, "getPet" | "listPets" | "countPets"> {
	const kept = createKeptPages();
	return {
		getPet: createTurnBatch<bigint, Pet | undefined>(String, async (ids) => {
			const { rows } = await query(petsById, [ids]);
			const pets = new Map(rows.map(toPet).map((pet) => [pet.id, pet]));
			return ids.map((id) => pets.get(id));
		}),
		listPets: createTurnBatch<PageQuery, PetPage>(nameOfPage, (queries) => readPages(read, kept, queries)),
		async countPets(after, limit) {
			const { rows, state } = await read(countByStatus, [after, limit]);
			const [lastId, ...counts] = rows[0] as (bigint | null)[];
			const groups = countedStatuses.flatMap((status, index): StatusGroup[] => {
				const count = counts[index];
				return count ? [[status, count, lastId ?? 0n]] : [];
			});
			return toPetCount(groups, { lastEdit: lastEditOf(state), history: historyOf(state) });
		},
	};
}

/** The pages of a turn. One small query, sent with those of other pages, tells whether kept pages are valid. */
async function readPages(read: Read, kept: KeptPages, queries: PageQuery[]): Promise<PetPage[]> {
	const readNew = (pageQuery: PageQuery) => readPage(read, kept, pageQuery);
	const found = queries.map(kept.find);
	const [latest, fresh] = await Promise.all([
		found.some(Boolean) ? read(stateOnly, []) : undefined,
		Promise.all(queries.map((pageQuery, index) => (found[index] ? undefined : readNew(pageQuery)))),
	]);
	return Promise.all(
		queries.map((pageQuery, index) => {
			const one = found[index];
			return fresh[index] ?? (one && one.state === latest?.state ? one.page : readNew(pageQuery));
		}),
	);
}

async function readPage(read: Read, kept: KeptPages, pageQuery: PageQuery): Promise<PetPage> {
	const { status, after = 0n, upTo, limit } = pageQuery;
	const page = upTo === undefined ? "page" : "pageUpTo";
	const statement = pages[status ? (`${page}WithStatus` as const) : page];
	const { rows, state, first } = await read(statement, [...(status ? [status] : []), upTo ?? after, limit + 1]);
	return kept.keep(
		pageQuery,
		toPetPage(rows.map(toPet), pageQuery, () => first as bigint),
		state,
	);
}
