// Reads of animals and keys in PostgreSQL. The reads of one tick of the event loop are sent together when the tick
// ends. Each statement also returns the store's timeline and last edit, which decide whether a cached reply is still
// valid (docs/decisions/0016-timelines.md).

import { idOfPetJson } from "../../contract/pet.ts";
import type { Engine } from "../engine.ts";
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
import { readOnlyCode } from "./errors.ts";

/**
 * SQL of the store's state; empty on a standby, which may lag. The server's start time differs on another server and
 * after a restart; a table's path differs in another database and after a restore.
 */
const state = `CASE WHEN pg_is_in_recovery() THEN '' ELSE
	last_id || ' ' || (SELECT last_id FROM counters WHERE name = 'pets') || ' ' ||
	extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath(tableoid) END`;

/** A SELECT with an extra last row, whose last column is the state in which all rows were read. */
function selectWithState(columns: readonly string[], rest: string): string {
	const none = columns.map(() => "NULL");
	return `(SELECT ${[...columns, "NULL"].join(", ")} ${rest}) UNION ALL
	SELECT ${[...none, state].join(", ")} FROM counters WHERE name = 'edits'`;
}

/** Reads only the state. */
const stateOnly = { name: "state", text: `SELECT ${state} FROM counters WHERE name = 'edits'` };

/** Sends a statement. An error from `toResult` closes the connection. @throws StorageUnavailable */
export type Send = <Result>(statement: Statement, toResult: (rows: Row[]) => Result) => Promise<Result>;

/** @throws StorageUnavailable, or an Error with the code of a read-only server */
function toReadResult(rows: Row[]): { rows: Row[]; version: StoreVersion } {
	const state = rows.pop()?.at(-1);
	if (state === "") throw Object.assign(new Error("the server is a standby"), { code: readOnlyCode });
	if (typeof state !== "string")
		throw new StorageUnavailable("a table of the store is empty: wait until it is restored");
	const [lastEdit = "", lastId = "", ...timeline] = state.split(" ");
	return { rows, version: { timeline: timeline.join(" "), lastEdit: BigInt(lastEdit), lastId: BigInt(lastId) } };
}

// If animals were distributed by id, a get would ask only the shards of its ids, but a page, which is a range of ids,
// would ask every shard.
export const petJson = petJsonSql((column) => `to_json(${column})`);
const petsById = {
	name: "petsById",
	text: selectWithState([petJson], "FROM pets WHERE id = ANY($1::bigint[])"),
};
const keysByHash = {
	name: "keysByHash",
	text: selectWithState(["s.hash", ...keyColumns], `${fromKeys} WHERE s.hash = ANY($1::text[])`),
};

export function createReads(
	send: Send,
	sendScan: Send,
	limitScans: NodePool["limitScans"],
): Pick<Engine, "getPet" | "listPets" | "version" | "findKey" | "timeline" | "select" | "scan"> {
	let timeline = "";

	/** Sends a statement that reads the state. @throws StorageUnavailable, including on a standby */
	async function read(statement: Statement, by = send) {
		const result = await by(statement, toReadResult);
		timeline = result.version.timeline;
		return result;
	}

	async function readPage(query: PageQuery): Promise<PetPage> {
		const { name, text, values } = pageSql(query, (place) => `$${place}`);
		const sql = selectWithState([petJson], `FROM pets ${text} LIMIT $${values.length + 1}`);
		const { rows, version } = await read({ name, text: sql, values: [...values, query.limit + 1] });
		return toPetPage(
			(rows as [string][]).map(([json]) => json),
			query,
			version,
		);
	}

	const selectBy =
		(by: Send): Select =>
		async (columns, rest, values) => {
			const { rows, version } = await read({ text: selectWithState(columns, rest), values }, by);
			return { rows: rows.map((row) => row.slice(0, -1)), version };
		};
	const selectScan = selectBy(sendScan);

	const readVersion = createTickBatch<string, StoreVersion>(String, async () => [(await read(stateOnly)).version]);
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
		select: selectBy(send),
		scan: (columns, rest, values, signal) =>
			limitScans(async () => {
				signal?.throwIfAborted();
				return (await selectScan(columns, rest, values)).rows;
			}),
	};
}
