// The state that a read shows: the store's history and last edit, from the same statement. A remembered reply is valid
// while the store has both (docs/decisions/0016-histories.md).

import type pg from "pg";
import { type Shown, StorageUnavailable } from "../store.ts";
import type { Row } from "../tables.ts";
import { readOnlyCode } from "./errors.ts";
import type { Statement } from "./pool.ts";

/**
 * Empty on a standby, which may lag. Another server, and the same one after its restart, has another time; a table in
 * another database, and one after a restore, has another path.
 */
const state = `CASE WHEN pg_is_in_recovery() THEN '' ELSE
	last_id || ' ' || (SELECT last_id FROM counters WHERE name = 'pets') || ' ' ||
	extract(epoch FROM pg_postmaster_start_time()) || ' ' || pg_relation_filepath(tableoid) END`;

/**
 * A condition that costs a read less than the state, for what is not kept. On a standby the function fails (25006),
 * also where there are no rows; elsewhere it is not called.
 */
export const onPrimary = "(SELECT CASE WHEN pg_is_in_recovery() THEN pg_current_xact_id() IS NOT NULL ELSE true END)";

/** A SELECT with one more row, the last one, whose last column is the state that all rows show. */
export function selectWithState(columns: readonly string[], rest: string): string {
	const none = columns.map(() => "NULL");
	return `(SELECT ${[...columns, "NULL"].join(", ")} ${rest}) UNION ALL
	SELECT ${[...none, state].join(", ")} FROM counters WHERE name = 'edits'`;
}

/** Reads nothing but the state. */
export const stateOnly = { name: "state", text: `SELECT ${state} FROM counters WHERE name = 'edits'` };

export interface ReadResult {
	rows: Row[];
	shown: Shown;
}

/** Sends a statement of this file. @throws StorageUnavailable, also on a standby */
export type Read = (statement: Statement, values: readonly unknown[]) => Promise<ReadResult>;

/** @throws StorageUnavailable, and Error with the code of a read-only server */
export function toReadResult({ rows }: pg.QueryArrayResult): ReadResult {
	const state = rows.pop()?.at(-1);
	if (state === "") throw Object.assign(new Error("the server is a standby"), { code: readOnlyCode });
	if (typeof state !== "string")
		throw new StorageUnavailable("a table of the store is empty: wait until it is restored");
	const [lastEdit = "", lastId = "", ...history] = state.split(" ");
	return { rows, shown: { history: history.join(" "), lastEdit: BigInt(lastEdit), lastId: BigInt(lastId) } };
}
