// Reads of animals in SQLite. Those of one turn of the event loop share a snapshot, which begins when the turn ends.

import type Database from "better-sqlite3";
import type { Pet, PetStatus } from "../../contract/pet.ts";
import { createKeptPages, nameOfPage } from "../kept-pages.ts";
import { toPetCount } from "../pet-count.ts";
import { toPetPage } from "../pet-page.ts";
import type { PageQuery, PetCount, PetPage, Store } from "../store.ts";
import { columnList, createRecordReader, tables } from "../tables.ts";
import type { TurnReads } from "./turn-reads.ts";

type PetRow = unknown[];
const toPet = createRecordReader<Pet>(tables.pets);

export function createReads(
	database: Database.Database,
	{ read, shown }: TurnReads,
): Pick<Store, "getPet" | "listPets" | "countPets"> {
	const prepare = (clauses: string) =>
		database
			.prepare<unknown[], PetRow>(`SELECT ${columnList(tables.pets)} FROM pets ${clauses}`)
			.safeIntegers()
			.raw();
	const petById = prepare("WHERE id = ?");
	const lastId = database
		.prepare<[], bigint>("SELECT seq FROM sqlite_sequence WHERE name = 'pets'")
		.pluck()
		.safeIntegers();
	const countByStatus = database
		.prepare<unknown[], [status: PetStatus | null, count: bigint, lastId: bigint]>(
			`SELECT status, count(*), max(id)
			FROM (SELECT id, status FROM pets WHERE id > ? ORDER BY id LIMIT ?) GROUP BY status`,
		)
		.safeIntegers()
		.raw();
	const kept = createKeptPages();
	const pages = new Map<string, Database.Statement<unknown[], PetRow>>();

	/** The limit is part of the SQL text, because SQLite plans a statement again for each bound LIMIT. */
	function pageStatement({ status, upTo, limit }: PageQuery): Database.Statement<unknown[], PetRow> {
		const range = upTo === undefined ? "id > ? ORDER BY id" : "id <= ? ORDER BY id DESC";
		const clauses = `WHERE ${status ? "status = ? AND " : ""}${range} LIMIT ${limit + 1}`;
		const statement = pages.get(clauses) ?? prepare(clauses);
		pages.set(clauses, statement);
		return statement;
	}

	function readPet(id: bigint): Pet | undefined {
		const row = petById.get(id);
		return row && toPet(row);
	}

	function readPage(query: PageQuery): PetPage {
		const { state } = shown();
		const found = kept.find(query);
		if (found?.state === state) return found.page;
		const { status, after, upTo } = query;
		const id = after ?? upTo;
		const rows = status ? pageStatement(query).all(status, id) : pageStatement(query).all(id);
		return kept.keep(
			query,
			toPetPage(rows.map(toPet), query, () => lastId.get() ?? 0n),
			state,
		);
	}

	function readCount(after: bigint, limit: number): PetCount {
		const { lastEdit, history } = shown();
		return toPetCount(countByStatus.all(after, limit), { lastEdit, history });
	}

	return {
		getPet: (id) => read(() => readPet(id), `pet ${id}`),
		listPets: (query) => read(() => readPage(query), `page ${nameOfPage(query)}`),
		countPets: (after, limit) => read(() => readCount(after, limit)),
	};
}
