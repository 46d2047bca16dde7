// Reads of animals and keys in PostgreSQL. The reads of one tick of the event loop are sent together when the tick
// ends. Each statement also returns the store's timeline and last edit, which decide whether a cached reply is still
// valid (docs/decisions/0016-timelines.md). A search compares names as `foldedText` does, in any database locale.

import { accents, acute, foldedText, replaced } from "../../contract/equal-texts.ts";
import { idOfPetJson } from "../../contract/pet.ts";
import type { Engine } from "../engine.ts";
import type { FindSql } from "../find.ts";
import { fromKeys, keyColumns, nameOfPage, pageSql, petJsonSql, readKeyRow, type Select, toPetPage } from "../reads.ts";
import {
	type FoundPet,
	type KeyRow,
	type PageQuery,
	type PetPage,
	StorageUnavailable,
	type StoreVersion,
} from "../store.ts";
import type { Row, Statement } from "../tables.ts";
import { createTickBatch } from "../tick-batch.ts";
import type { NodePool } from "./connections.ts";
import { type Retry, readOnlyCode } from "./errors.ts";
import { rowsOf, scanWith } from "./transaction.ts";

/**
 * SQL for the store's version; it returns '' on a standby, which may lag. The last ids come from indexes, not from the
 * counter row, because each create rewrites that row: while an old transaction is open, a read would step over all
 * versions of the row. The timeline is the server's start time, which changes with a restart or another server, and a
 * table's path, which changes with a restore or another database.
 */
const versionSql = `CASE WHEN pg_is_in_recovery() THEN '' ELSE
	coalesce((SELECT max(id) FROM edits), 0) || ' ' || greatest((SELECT max(id) FROM pets), 0,
	(SELECT max(pet_id) FROM edits WHERE action = 'remove')) || ' ' ||
	extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath('counters'::regclass) END`;

/** A SELECT with an extra last row, whose last column is the version in which all rows were read. */
function selectWithVersion(columns: readonly string[], rest: string): string {
	const none = columns.map(() => "NULL");
	return `(SELECT ${[...columns, "NULL"].join(", ")} ${rest}) UNION ALL
	SELECT ${[...none, versionSql].join(", ")} FROM schema_version`;
}

const versionOnly = { name: "version", text: `SELECT ${versionSql} FROM schema_version` };

/** @throws StorageUnavailable, or an Error with the code of a read-only server */
function toReadResult(rows: Row[]): { rows: Row[]; version: StoreVersion } {
	const text = rows.pop()?.at(-1);
	if (text === "") throw Object.assign(new Error("the server is a standby"), { code: readOnlyCode });
	if (typeof text !== "string")
		throw new StorageUnavailable("a table of the store is empty: wait until it is restored");
	const [lastEdit = "", lastId = "", ...timeline] = text.split(" ");
	return { rows, version: { timeline: timeline.join(" "), lastEdit: BigInt(lastEdit), lastId: BigInt(lastId) } };
}

// If animals were distributed by id, a get would query only few shards, but a page, as a range of ids, all of them.
const petJson = petJsonSql((column) => `to_json(${column})`);
const petsById = {
	name: "petsById",
	text: selectWithVersion([petJson], "FROM pets WHERE id = ANY($1::bigint[])"),
};
const keysByHash = {
	name: "keysByHash",
	text: selectWithVersion(["s.hash", ...keyColumns], `${fromKeys} WHERE s.hash = ANY($1::text[])`),
};

export function createReads(
	pool: NodePool,
	retry: Retry,
): Pick<Engine, "getPet" | "listPets" | "version" | "findKey" | "timeline" | "select" | "scan" | "scanList"> {
	let timeline = "";

	/** Sends a statement that reads from the store; an error closes the connection. @throws StorageUnavailable */
	async function read(statement: Statement, readRows = rowsOf) {
		const result = await retry(() => pool.run(async (client) => toReadResult(await readRows(client, statement))));
		timeline = result.version.timeline;
		return result;
	}

	async function readPage(query: PageQuery): Promise<PetPage> {
		const { name, text, values } = pageSql(query);
		const sql = selectWithVersion([petJson], `FROM pets ${text} LIMIT $${values.length + 1}`);
		const { rows, version } = await read({ name, text: sql, values: [...values, query.limit + 1] });
		const pets = (rows as [string][]).map(([json]) => json);
		return toPetPage(pets, query, version);
	}

	const selectBy =
		(readRows: typeof rowsOf): Select =>
		async (columns, rest, values) => {
			const { rows, version } = await read({ text: selectWithVersion(columns, rest), values }, readRows);
			return { rows: rows.map((row) => row.slice(0, -1)), version };
		};
	const select = selectBy(rowsOf);
	const readVersion = createTickBatch<string, StoreVersion>(String, async () => [(await read(versionOnly)).version]);
	return {
		timeline: () => timeline,
		getPet: createTickBatch<bigint, FoundPet>(String, async (ids) => {
			const { rows, version } = await read({ ...petsById, values: [ids] });
			const pets = new Map((rows as [string][]).map(([json]) => [idOfPetJson(json), json]));
			return ids.map((id) => ({ json: pets.get(id), version }));
		}),
		listPets: createTickBatch<PageQuery, PetPage>(nameOfPage, (queries) => Promise.all(queries.map(readPage))),
		version: () => readVersion("version"),
		findKey: createTickBatch<string, KeyRow | undefined>(String, async (hashes) => {
			const { rows, version } = await read({ ...keysByHash, values: [hashes] });
			const keys = new Map(rows.map(([hash, ...row]) => [hash, { ...readKeyRow(row), timeline: version.timeline }]));
			return hashes.map((hash) => keys.get(hash));
		}),
		select,
		scanList: async (columns, rest, values) => (await select(columns, rest, values)).rows,
		scan: (columns, rest, values, signal) =>
			pool.limitScans(async () => {
				signal?.throwIfAborted();
				const select = selectBy((client, statement) => scanWith(pool, client, statement, signal));
				return (await select(columns, rest, values)).rows;
			}),
	};
}

/** Uses the first of these collations that the server has, because in the C locale lower() knows only ASCII. */
const collations = ["pg_c_utf8", "C.utf8", "C.UTF-8", "und-x-icu", "en_US.utf8"];
const readCollation = `SELECT quote_ident(collname) AS name FROM pg_collation
	WHERE collname = ANY($1::text[]) AND collencoding IN (-1, pg_char_to_encoding('UTF8'))
	ORDER BY array_position($1::text[], collname::text) LIMIT 1`;

export async function readFindSql(pool: NodePool): Promise<FindSql> {
	const { rows } = await pool.query(readCollation, [collations]);
	const collation: string = rows[0]?.name ?? '"default"';
	const light = (text: string) =>
		`lower(regexp_replace(normalize(${text}, NFKD), '[${accents}]', '', 'g') COLLATE ${collation})`;
	const letters = replaced.filter(([, by]) => by.length === 1);
	const [from, to] = [0, 1].map((side) => quoted(letters.map((pair) => pair[side]).join("")));
	const longer = replaced.filter(([, by]) => by.length > 1);
	const heavy = (text: string) => {
		const translated = `translate(${light(`replace(${text}, '${acute}', ${quoted("'")})`)}, ${from}, ${to})`;
		const all = longer.reduce((one, [letter, by]) => `replace(${one}, '${letter}', '${by}')`, translated);
		return `normalize(${all}, NFC)`;
	};
	return {
		petJson,
		// Most names are ASCII, and most others need no replacements: these two cases are much faster than the last.
		folded: (text) => `CASE WHEN octet_length(${text}) = char_length(${text})
			THEN replace(lower(${text} COLLATE "C"), '\`', ${quoted("'")}) COLLATE "C"
			WHEN ${text} !~ '[${rareOnce()}]' THEN ${light(text)} COLLATE "C" ELSE ${heavy(text)} COLLATE "C" END`,
		contains: (text, part) => `strpos(${text}, ${part}) > 0`,
	};
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

let rare: string | undefined;
/** The result of `findRare`. It takes 0.2 s, longer than the rest of a command: only the first search computes it. */
function rareOnce(): string {
	rare ??= findRare();
	return rare;
}

/** Lists the characters, in the first two planes of Unicode, whose folding does more than remove accents and case. */
function findRare(): string {
	const anyAccent = new RegExp(`[${accents}]`, "gu");
	const ranges: [first: number, last: number][] = [];
	for (let code = 0x60; code < 0x20000; code++) {
		if (code === 0xd800) code = 0xe000;
		const letter = String.fromCodePoint(code);
		const folded = foldedText(letter);
		const isLight = folded === letter.normalize("NFKD").replace(anyAccent, "").toLowerCase();
		if (isLight && !/[\p{M}\u1100-\u11ff]/u.test(folded)) continue;
		const last = ranges.at(-1);
		if (last?.[1] === code - 1) last[1] = code;
		else ranges.push([code, code]);
	}
	return ranges.map((range) => range.map((code) => String.fromCodePoint(code)).join("-")).join("");
}
