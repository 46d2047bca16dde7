// Reads of animals in PostgreSQL. Those of one turn of the event loop are sent together when it ends.

import { petStatuses } from "../../contract/pet.ts";
import { idOfPetJson } from "../../contract/pet-json.ts";
import { nameOfPage, pageSql, petJsonSql, type StatusGroup, toPetCount, toPetPage } from "../reads.ts";
import type { PageQuery, PetPage, Shown, Store } from "../store.ts";
import { createTurnBatch } from "../turn-batch.ts";
import type { Query } from "./pool.ts";
import { onPrimary, type Read, selectWithState, stateOnly } from "./state.ts";

// With animals distributed by id, a get would ask the shards of its ids. A page is a range of ids, and so is a count:
// both would ask every shard.
const petJson = petJsonSql((column) => `to_json(${column})`);
const petsById = {
	name: "petsById",
	text: `SELECT ${petJson} FROM pets WHERE id = ANY($1::bigint[]) AND ${onPrimary}`,
};

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

export function createReads(query: Query, read: Read): Pick<Store, "getPet" | "listPets" | "countPets" | "readShown"> {
	const readShown = createTurnBatch<string, Shown>(String, async () => [(await read(stateOnly, [])).shown]);
	return {
		getPet: createTurnBatch<bigint, string | undefined>(String, async (ids) => {
			const { rows } = await query(petsById, [ids]);
			const pets = new Map((rows as [string][]).map(([json]) => [idOfPetJson(json), json]));
			return ids.map((id) => pets.get(id));
		}),
		listPets: createTurnBatch<PageQuery, PetPage>(nameOfPage, (queries) =>
			Promise.all(queries.map((pageQuery) => readPage(read, pageQuery))),
		),
		readShown: () => readShown("shown"),
		async countPets(after, limit) {
			const { rows, shown } = await read(countByStatus, [after, limit]);
			const [lastId, ...counts] = rows[0] as (bigint | null)[];
			const groups = countedStatuses.flatMap((status, index): StatusGroup[] => {
				const count = counts[index];
				return count ? [[status, count, lastId ?? 0n]] : [];
			});
			return toPetCount(groups, shown);
		},
	};
}

async function readPage(read: Read, pageQuery: PageQuery): Promise<PetPage> {
	const { name, text, values } = pageSql(pageQuery, (place) => `$${place}`);
	const statement = { name, text: selectWithState([petJson], `FROM pets ${text} LIMIT $${values.length + 1}`) };
	const { rows, shown } = await read(statement, [...values, pageQuery.limit + 1]);
	const pets = (rows as [string][]).map(([json]) => json);
	return toPetPage(pets, pageQuery, shown);
}
