// The requirements for the server, and for where an engine with shards keeps the tables.

import type pg from "pg";
import { StoreRefused } from "../store.ts";
import { readOnlyText } from "./errors.ts";

const serverVersionMin = 140_000;

interface Engine {
	name: string;
	sign: RegExp;
	/** Why the store cannot work there. */
	refusal?: string;
}

/** Engines that speak PostgreSQL's protocol, whatever version they report. */
const engines: Engine[] = [
	{
		name: "CockroachDB",
		sign: /^CockroachDB/,
		refusal: "whose sha256 is not that of PostgreSQL, which the store's tables need",
	},
	{ name: "YugabyteDB", sign: /^PostgreSQL \S*-YB-/ },
	{ name: "not PostgreSQL", sign: /^(?!PostgreSQL )/ },
];
const engineOf = (banner: string) => engines.find(({ sign }) => sign.test(banner));

/** An engine that lacks a setting has null there. */
const readServer = `SELECT version() AS banner, current_setting('server_version_num', true) AS version,
	current_setting('server_encoding', true) AS encoding, current_setting('transaction_read_only', true) AS "readOnly",
	current_setting('synchronous_commit', true) AS "synchronousCommit", current_setting('fsync', true) AS fsync,
	current_setting('neon.timeline_id', true) AS "neonTimeline", to_regclass('schema_version') IS NOT NULL AS "hasStore"`;

/**
 * @param onWarning is told about an engine that nobody has tested
 * @returns whether the database has a store
 * @throws StoreRefused
 */
export async function checkServer(pool: pg.Pool, onWarning?: (text: string) => void): Promise<boolean> {
	const { rows } = await pool.query(readServer);
	const { banner, version, encoding, readOnly, synchronousCommit, fsync, neonTimeline, hasStore } = rows[0];
	const engine = engineOf(banner);
	if (engine?.refusal)
		throw new StoreRefused(`the server is ${engine.name}, ${engine.refusal}: use PostgreSQL 14 or newer`);
	const versionName = `${Math.floor(version / 10_000)}.${version % 10_000}`;
	if (version < serverVersionMin)
		throw new StoreRefused(`this PostgreSQL (${versionName}) is too old: use 14 or newer`);
	if (encoding !== "UTF8") throw new StoreRefused(`the database has the encoding ${encoding}: create it with UTF8`);
	if (readOnly === "on") throw new StoreRefused(readOnlyText);
	// Neon's servers have no disk to sync: a commit waits for its log to be on the disks of several others.
	if (synchronousCommit === "off" || (fsync === "off" && !neonTimeline)) {
		throw new StoreRefused(
			"the server acknowledges commits before they are on disk: turn on fsync and synchronous_commit",
		);
	}
	if (engine) {
		onWarning?.(
			`the server is ${engine.name} (${banner}), with which this service was never tested: ` +
				"run the store's tests on it before you rely on it (CONTRIBUTING.md)",
		);
	}
	return hasStore;
}

/** Their rows become visible together, in the order of the counters. Only one place can promise that. */
const togetherTables = ["pets", "counters", "idempotency_keys", "edits"];

/** A table may have foreign ones as partitions or as children. */
const readShards = `WITH RECURSIVE parts AS (
		SELECT name, to_regclass(name)::oid AS id FROM unnest($1::text[]) AS given (name)
		UNION SELECT name, unnest(ARRAY(SELECT inhrelid FROM pg_inherits WHERE inhparent = id)) FROM parts
	)
	SELECT to_regclass('pg_dist_partition') IS NOT NULL AS "isCitus",
		(SELECT max(name) FROM parts WHERE id IN (SELECT oid FROM pg_class WHERE relkind = 'f')) AS "foreignTable"`;
/** In Citus 11 and newer: how each table that exists is placed, null for a table of this server alone. */
const readPlacements = `SELECT name AS table,
	(SELECT to_json(placed) FROM pg_dist_partition AS placed WHERE logicalrelid = to_regclass(name)) AS placement
	FROM unnest($1::text[]) AS given (name) WHERE to_regclass(name) IS NOT NULL`;

interface PlacedTable {
	table: string;
	/** `partmethod` n: one shard. `repmodel` t: with a copy on every node. `colocationid` 0: on the coordinator. */
	placement: { partmethod: string; repmodel: string; colocationid: number } | null;
}

/**
 * Refuses a store whose tables are spread over shards. Each shard shows its part of a commit at a time of its own, so
 * a reader could see an id before a smaller one, and never see that.
 * @throws StoreRefused
 */
export async function refuseShards(pool: pg.Pool): Promise<void> {
	const { rows } = await pool.query(readShards, [togetherTables]);
	const { isCitus, foreignTable } = rows[0];
	const problem = foreignTable
		? `${foreignTable} has foreign tables`
		: isCitus && findSpread((await pool.query(readPlacements, [togetherTables])).rows);
	if (!problem) return;
	throw new StoreRefused(
		`the layout of the store is "single", which needs ${togetherTables.join(", ")} in one place, but ${problem}: ` +
			"undo that, or use schema-based sharding (docs/postgresql.md)",
	);
}

function findSpread(tables: PlacedTable[]): string | undefined {
	for (const { table, placement } of tables) {
		if (placement && placement.partmethod !== "n") return `${table} is distributed over shards`;
		if (placement?.repmodel === "t") return `${table} is a reference table`;
	}
	const [first, ...others] = tables;
	const placeOf = (given?: PlacedTable) => given?.placement?.colocationid ?? 0;
	const other = others.find((one) => placeOf(one) !== placeOf(first));
	return other && `${first?.table} and ${other.table} are not colocated`;
}

/** Whether this server itself keeps the animals, as PostgreSQL does: its statistics then tell what VACUUM left. */
export async function isPlainPostgres(pool: pg.Pool): Promise<boolean> {
	const { rows } = await pool.query(`SELECT version() AS banner, to_regclass('pg_dist_partition') AS citus`);
	if (engineOf(rows[0].banner)) return false;
	if (rows[0].citus === null) return true;
	const placed = await pool.query(readPlacements, [["pets"]]);
	return placed.rows[0]?.placement === null;
}
