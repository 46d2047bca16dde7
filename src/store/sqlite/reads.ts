// Reads of animals in SQLite. Those of one turn of the event loop share a snapshot, which begins when the turn ends.

import type Database from "better-sqlite3";
import type { PetStatus } from "../../contract/pet.ts";
import { nameOfPage, pageSql, petJsonSql, toPetCount, toPetPage } from "../reads.ts";
import type { PageQuery, PetCount, PetPage, Store } from "../store.ts";
import type { TurnReads } from "./turn-reads.ts";

const petJson = petJsonSql((column) => `json_quote(${column})`);

export function createReads(
	database: Database.Database,
	{ read, shown }: TurnReads,
): Pick<Store, "getPet" | "listPets" | "countPets" | "readShown"> {
	const prepare = (clauses: string) =>
		database.prepare<unknown[], string>(`SELECT ${petJson} FROM pets ${clauses}`).pluck();
	const petById = prepare("WHERE id = ?");
	const countByStatus = database
		.prepare<unknown[], [status: PetStatus | null, count: bigint, lastId: bigint]>(
			`SELECT status, count(*), max(id)
			FROM (SELECT id, status FROM pets WHERE id > ? ORDER BY id LIMIT ?) GROUP BY status`,
		)
		.safeIntegers()
		.raw();
	/** The limit is part of the SQL text, because SQLite plans a statement again for each bound LIMIT. */
	const pages = new Map<string, Database.Statement<unknown[], string>>();

	function readPage(query: PageQuery): PetPage {
		const { text, values } = pageSql(query, () => "?");
		const clauses = `${text} LIMIT ${query.limit + 1}`;
		const statement = pages.get(clauses) ?? prepare(clauses);
		pages.set(clauses, statement);
		return toPetPage(statement.all(...values), query, shown());
	}

	function readCount(after: bigint, limit: number): PetCount {
		return toPetCount(countByStatus.all(after, limit), shown());
	}

	return {
		getPet: (id) => read(() => petById.get(id), `pet ${id}`),
		listPets: (query) => read(() => readPage(query), nameOfPage(query)),
		readShown: () => read(shown),
		countPets: (after, limit) => read(() => readCount(after, limit)),
	};
}
