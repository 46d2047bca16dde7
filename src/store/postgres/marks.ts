// What a snapshot of a PostgreSQL store shows, in a few numbers. Creates and edits are numbered in commit order,
// and a replica shows a prefix of the commits: two snapshots with the same last edit agree on all ids that both
// have given.

import { schemaMax } from "./migrate.ts";

export interface Mark {
	edits: bigint;
	/** The last id of an animal. */
	pets: bigint;
	/** The fence and the database. */
	history: string;
}

const lastIdOf = (counter: string) => `(SELECT last_id FROM counters WHERE name = '${counter}')`;
export const lastEditSql = lastIdOf("edits");

/**
 * The fence is a random number that nodes write. Who shows the primary's fence has all that the primary had when it was
 * written. A server that another one replaced, a copy of the store, or another store has another fence.
 */
const markSql = `(SELECT concat_ws(' ', ${["edits", "pets", "fence"].map(lastIdOf).join(", ")}, current_database()))`;
/** Null unless the server is a physical standby: any other may show commits in another order. */
export const standbyMarkSql = `(SELECT ${markSql} WHERE pg_is_in_recovery())`;

/** Differs between servers, and after a restart. */
const serverSql = "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint";

export const lastEdit = { name: "lastEdit", text: `SELECT ${lastEditSql}` };
export const primaryMark = { name: "mark", text: `SELECT ${markSql}, ${serverSql}` };
export const newFence = {
	name: "newFence",
	text: `INSERT INTO counters (name, last_id) SELECT 'fence', (random() * 9e18)::bigint
	WHERE (SELECT version FROM schema_version) <= ${schemaMax}
	ON CONFLICT (name) DO UPDATE SET last_id = excluded.last_id RETURNING ${serverSql}`,
};
export const primaryProbe = {
	name: "primaryProbe",
	text: `SELECT ${markSql}, ${serverSql}, (pg_current_wal_lsn() - '0/0')::bigint`,
};
export const replicaProbe = {
	name: "replicaProbe",
	text: `SELECT ${standbyMarkSql}, (pg_last_wal_replay_lsn() - '0/0')::bigint`,
};

/** @param text of a mark's column; undefined unless there is one */
export function toMark(text: unknown): Mark | undefined {
	if (typeof text !== "string") return undefined;
	const [edits = "", pets = "", ...history] = text.split(" ");
	return { edits: BigInt(edits), pets: BigInt(pets), history: history.join(" ") };
}

export function hasSameEdits(shown: Mark, primary: Mark): boolean {
	return shown.history === primary.history && shown.edits === primary.edits;
}

/** Whether rows that depend on ids up to `reach` are equal in two snapshots with the same edits. */
export function agreeUpTo(reach: bigint, shown: Mark, primary: Mark): boolean {
	return shown.pets === primary.pets || (reach <= shown.pets && reach <= primary.pets);
}
