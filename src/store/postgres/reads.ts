// Reads of animals and keys in PostgreSQL. Those of one turn of the event loop are sent together when it ends.

import { idOfPetJson } from "../../contract/pet-json.ts";
import type { Engine } from "../engine.ts";
import { fromKeys, keyColumns, readKeyRow } from "../key-rows.ts";
import { nameOfPage, pageSql, petJsonSql, toPetPage } from "../reads.ts";
import type { KeyRow, PageQuery, PetPage, Shown } from "../store.ts";
import { createTurnBatch } from "../turn-batch.ts";
import type { Query } from "./pool.ts";
import { onPrimary, type Read, selectWithState, stateOnly } from "./state.ts";

// With animals distributed by id, a get would ask the shards of its ids. A page is a range of ids: it would ask every
// shard.
const petJson = petJsonSql((column) => `to_json(${column})`);
const petsById = {
	name: "petsById",
	text: `SELECT ${petJson} FROM pets WHERE id = ANY($1::bigint[]) AND ${onPrimary}`,
};
const keysByHash = {
	name: "keysByHash",
	text: selectWithState(["s.hash", ...keyColumns], `${fromKeys} WHERE s.hash = ANY($1::text[])`),
};

export function createReads(
	query: Query,
	read: Read,
): Pick<Engine, "getPet" | "listPets" | "readShown" | "findKey" | "select"> {
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
		findKey: createTurnBatch<string, KeyRow | undefined>(String, async (hashes) => {
			const { rows, shown } = await read(keysByHash, [hashes]);
			const keys = new Map(rows.map(([hash, ...row]) => [hash, { ...readKeyRow(row), history: shown.history }]));
			return hashes.map((hash) => keys.get(hash));
		}),
		async select(columns, rest, values = []) {
			const { rows, shown } = await read({ text: selectWithState(columns, rest) }, values);
			return { rows: rows.map((row) => row.slice(0, -1)), shown };
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
