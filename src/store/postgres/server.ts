// Checks that the server loses no acknowledged write, and that an engine with shards keeps the tables in one place.

import { StoreRefused } from "../store.ts";
import { tables } from "../tables.ts";
import type { NodePool } from "./connections.ts";
import { readOnlyText } from "./errors.ts";

const serverVersionMin = 140_000;

/** Some other engines report a PostgreSQL version, too, but spread tables over several servers by default. */
const isPostgres = (banner: string) => /^PostgreSQL (?!\S*-YB-)/.test(banner);

/** Whether the schema in which tables are created has a store. Later ones in the search path may have other stores. */
export const hasStoreSql = "to_regclass(quote_ident(current_schema()) || '.schema_version') IS NOT NULL";
/** A setting that the engine does not have is null. */
const readServer = `SELECT version() AS banner, current_setting('server_version_num', true) AS version,
	current_setting('server_encoding', true) AS encoding, current_setting('transaction_read_only', true) AS "readOnly",
	${hasStoreSql} AS "hasStore"`;

/** @returns true if the database has a store @throws StoreRefused */
export async function checkServer(pool: NodePool): Promise<boolean> {
	const { rows } = await pool.query(readServer);
	const { banner, version, encoding, readOnly, hasStore } = rows[0];
	if (!isPostgres(banner))
		throw new StoreRefused(`the server is not PostgreSQL (${banner}): use PostgreSQL 14 or newer`);
	const versionName = `${Math.floor(version / 10_000)}.${version % 10_000}`;
	if (version < serverVersionMin)
		throw new StoreRefused(`this PostgreSQL (${versionName}) is too old: use 14 or newer`);
	if (encoding !== "UTF8") throw new StoreRefused(`the database has the encoding ${encoding}: create it with UTF8`);
	if (readOnly === "on") throw new StoreRefused(readOnlyText);
	return hasStore;
}

const otherTables = ["counters", "settings", "schema_version", "pet_count_changes", "pet_total_changes"];
export const ownTables = [...Object.values(tables).map(({ name }) => name), ...otherTables];

/** Rows of these tables must become visible together, in the counters' order: only a single server can promise it. */
const togetherTables = ["pets", "counters", "idempotency_keys", "edits"];

/**
 * Settings of server, database, role or tables that lose or falsify writes: an SQL condition and a message for each.
 * Neon may turn fsync off: there, a commit waits until its WAL is on the disks of several other servers.
 */
const unsafeSettings = [
	[
		"current_setting('fsync', true) = 'off' AND current_setting('neon.timeline_id', true) IS NULL",
		"the server acknowledges commits before they are on disk: turn on fsync",
	],
	[
		"current_setting('session_replication_role', true) = 'replica'",
		"session_replication_role is replica, so no trigger counts the animals: set it to origin",
	],
	[
		"current_setting('array_nulls', true) = 'off'",
		"array_nulls is off, so an animal without a status cannot be written: turn it on",
	],
	[
		`EXISTS (SELECT FROM pg_class WHERE relpersistence = 'u' AND (oid IN (SELECT id FROM parts)
			OR oid IN (SELECT to_regclass(name)::oid FROM unnest($2::text[]) AS given (name))))`,
		"a table of the store is UNLOGGED, so a crash empties it: set it to LOGGED",
	],
	[
		`EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass('pets') AND tgfoid = to_regproc('count_pets')
			AND tgenabled IN ('D', 'R'))`,
		"a trigger of the table pets is disabled, so not all animals are counted: enable it",
	],
	[
		"EXISTS (SELECT FROM pg_trigger WHERE tgrelid = to_regclass('pets') AND tgtype & 3 = 3 AND NOT tgisinternal)",
		"a BEFORE trigger of the table pets may change or drop animals: use an AFTER trigger",
	],
];

/** Reads the partitions and children of tables, too, because these may be foreign or UNLOGGED. */
const readShards = `WITH RECURSIVE parts AS (
		SELECT name, to_regclass(name)::oid AS id FROM unnest($1::text[]) AS given (name)
		UNION SELECT name, unnest(ARRAY(SELECT inhrelid FROM pg_inherits WHERE inhparent = id)) FROM parts
	)
	SELECT CASE ${unsafeSettings.map(([condition, text]) => `WHEN ${condition} THEN '${text}'`).join(" ")} END AS unsafe,
		to_regclass('pg_dist_partition') IS NOT NULL AS "isCitus",
		(SELECT max(name) FROM parts WHERE id IN (SELECT oid FROM pg_class WHERE relkind = 'f')) AS "foreignTable"`;
/** Reads where Citus (11 or newer) has placed each existing table; null for a table that is only on this server. */
const readPlacements = `SELECT name AS table,
	(SELECT to_json(placed) FROM pg_dist_partition AS placed WHERE logicalrelid = to_regclass(name)) AS placement
	FROM unnest($1::text[]) AS given (name) WHERE to_regclass(name) IS NOT NULL`;

interface PlacedTable {
	table: string;
	/** `partmethod` n: one shard. `repmodel` t: every node has a copy. `colocationid` 0: on the coordinator. */
	placement: { partmethod: string; repmodel: string; colocationid: number } | null;
}

/**
 * Refuses unsafe settings, and tables that are spread over shards. Because shards do not all show a commit at the same
 * moment, a reader could see an id before a smaller one, and then miss the smaller one.
 * @returns whether Citus has placed the tables, all of them in one place
 * @throws StoreRefused
 */
export async function refuseUnsafe(pool: NodePool): Promise<boolean> {
	const { problem, isPlaced } = await pool.run(async (client) => {
		const [{ unsafe, isCitus, foreignTable }] = (await client.query(readShards, [togetherTables, ownTables])).rows;
		if (unsafe) throw new StoreRefused(unsafe);
		const placed: PlacedTable[] = isCitus ? (await client.query(readPlacements, [togetherTables])).rows : [];
		const problem = foreignTable ? `${foreignTable} has foreign tables` : findSpread(placed);
		return { problem, isPlaced: placed.some(({ placement }) => placement !== null) };
	});
	if (!problem) return isPlaced;
	throw new StoreRefused(
		`the layout of the store is "single", which needs ${togetherTables.join(", ")} in one place, but ${problem}: ` +
			"undo that, or use schema-based sharding (docs/postgresql.md)",
	);
}

function findSpread(tables: PlacedTable[]): string | undefined {
	const placeOf = (placement?: PlacedTable["placement"]) => placement?.colocationid ?? 0;
	const spread = tables.find(({ placement }) => {
		const isWhole = !placement || (placement.partmethod === "n" && placement.repmodel !== "t");
		return !isWhole || placeOf(placement) !== placeOf(tables[0]?.placement);
	});
	return spread && `${spread.table} is on several shards, or apart from the others`;
}
