// Reads of animals and keys in SQLite. Those of one turn of the event loop share a snapshot, which begins at its end.

import type Database from "better-sqlite3";
import type { Engine } from "../engine.ts";
import { fromKeys, keyColumns, readKeyRow } from "../key-rows.ts";
import { nameOfPage, pageSql, petJsonSql, toPetPage } from "../reads.ts";
import type { KeyRow, PageQuery, PetPage, Shown } from "../store.ts";
import { rowsOf } from "./transaction.ts";
import type { TurnReads } from "./turn-reads.ts";

const petJson = petJsonSql((column) => `json_quote(${column})`);

export function createReads(
	database: Database.Database,
	{ read, shown, history }: TurnReads,
): Pick<Engine, "getPet" | "listPets" | "readShown" | "findKey" | "history" | "select"> {
	const prepare = (clauses: string) =>
		database.prepare<unknown[], string>(`SELECT ${petJson} FROM pets ${clauses}`).pluck();
	const petById = prepare("WHERE id = ?");
	/** The limit is part of the SQL text, because SQLite plans a statement again for each bound LIMIT. */
	const pages = new Map<string, Database.Statement<unknown[], string>>();

	function readPage(query: PageQuery): PetPage {
		const { text, values } = pageSql(query, () => "?");
		const clauses = `${text} LIMIT ${query.limit + 1}`;
		const statement = pages.get(clauses) ?? prepare(clauses);
		pages.set(clauses, statement);
		return toPetPage(statement.all(...values), query, shown());
	}

	const keyByHash = database
		.prepare<[string], unknown[]>(`SELECT ${keyColumns.join(", ")} ${fromKeys} WHERE s.hash = ?`)
		.raw();
	/** The latest hash that no key had, and what the store showed then: a client repeats its unknown key. */
	let absent: { hash: string; shown: Shown } | undefined;

	function readKey(hash: string): KeyRow | undefined {
		const now = shown();
		if (absent?.shown === now && absent.hash === hash) return undefined;
		const row = keyByHash.get(hash);
		if (row) return { ...readKeyRow(row), history: now.history };
		absent = { hash, shown: now };
		return undefined;
	}

	return {
		getPet: (id) => read(() => petById.get(id), `pet ${id}`),
		listPets: (query) => read(() => readPage(query), nameOfPage(query)),
		readShown: () => read(shown),
		findKey: (hash) => read(() => readKey(hash), `key ${hash}`),
		history,
		select: (columns, rest, values) =>
			read(() => ({
				rows: rowsOf(database, { text: `SELECT ${columns.join(", ")} ${rest}`, values }),
				shown: shown(),
			})),
	};
}
