// Migrates the schema of a PostgreSQL store. The first node that starts with a newer version runs the migrations.

import type pg from "pg";
import { readApplied, readMigrations, writeApplied } from "../migrations.ts";
import { StoreRefused } from "../store.ts";
import { begin, durably, type NodePool } from "./connections.ts";
import { hasStoreSql, ownTables } from "./server.ts";

const migrations = readMigrations("postgres");

export const { schemaMax } = migrations;

/** The most time that one migration of a large store may take, or that a node waits while another one runs it. */
const migrationLimitMs = 30 * 60_000;
/** A commit that waits longer than this for a standby counts as stuck, not as slow. */
const standbySeconds = 2;

/** If several nodes start at once, one migrates and the others wait. @throws StoreRefused, and the server's errors */
export async function migrate(pool: NodePool): Promise<void> {
	const startedAtMs = performance.now();
	let wasTaken = false;
	for (;;) {
		try {
			return await migrateOnce(pool);
		} catch (error) {
			const { code = "" } = error as { code?: string };
			if (await isWaitingForStandby(pool)) {
				throw new StoreRefused(
					"commits wait for a synchronous standby, and none is connected: " +
						"start it, or change synchronous_standby_names on the server",
				);
			}
			const isTaken = takenCodes.test(code);
			const isTooLate = performance.now() - startedAtMs > migrationLimitMs || (isTaken && wasTaken);
			if (isTooLate || !(isTaken || waitingCodes.test(code))) throw error;
			wasTaken = isTaken;
		}
	}
}

/** Codes if another node has created the table first, or, if a retry gets such a code, too, another program has. */
const takenCodes = /^(23505|42710|42P07)$/;
/** Codes if another node that is migrating caused a rollback, or did not release a lock in time. */
const waitingCodes = /^(40001|40P01|55P03)$/;

async function migrateOnce(pool: NodePool): Promise<void> {
	const client = await pool.take();
	let isBroken = true;
	try {
		await client.query(`${begin}; SELECT ${durably}`);
		const version = await lockVersion(client);
		const problem = migrations.refuse(version);
		if (problem !== undefined) throw new StoreRefused(`the database ${problem}`);
		const applied = version === 0 ? 0 : Number(String((await client.query(readApplied)).rows[0]?.value ?? version));
		if (applied < schemaMax) await applyMigrations(client, applied, version);
		await client.query("COMMIT");
		isBroken = false;
	} finally {
		client.release(isBroken);
	}
}

const readOwner = `SELECT ${hasStoreSql} AS "hasVersion", (SELECT min(relname::text) FROM pg_class
	WHERE relnamespace = to_regnamespace(quote_ident(current_schema())) AND relname = ANY($1)) AS "ownName"`;

/**
 * Locks and returns the version of the schema, 0 for an empty database. The lock lasts until the commit.
 * @throws StoreRefused before anything is created, if a table belongs to another program
 */
async function lockVersion(client: pg.PoolClient): Promise<number> {
	const [{ hasVersion, ownName }] = (await client.query(readOwner, [ownTables])).rows;
	if (!hasVersion) {
		if (ownName !== null) throw foreignTable(ownName);
		await client.query(
			"CREATE TABLE schema_version (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL)",
		);
		await client.query("INSERT INTO schema_version VALUES (1, 0)");
		return 0;
	}
	try {
		const { rows } = await client.query("SELECT version FROM schema_version WHERE one = 1 FOR UPDATE");
		if (rows[0]) return Number(rows[0].version);
	} catch (error) {
		if ((error as { code?: string }).code !== "42703") throw error;
	}
	throw foreignTable("schema_version");
}

const foreignTable = (name: string) =>
	new StoreRefused(`the table ${name} of the database belongs to another program: name another database or schema`);

async function applyMigrations(client: pg.PoolClient, applied: number, version: number): Promise<void> {
	await client.query(`SET LOCAL statement_timeout = ${migrationLimitMs}`);
	const steps = migrations.after(applied);
	for (const { sql, computed } of steps) {
		for (const text of statementsOf(sql)) {
			// In the extended mode, the server refuses a query with two statements.
			const statement = { text, queryMode: "extended", query_timeout: migrationLimitMs };
			await client.query(statement);
		}
		if (!computed) continue;
		const { rows } = await client.query<[bigint, string]>({ text: computed.read, rowMode: "array" });
		for (const values of computed.compute(rows)) await client.query(computed.write, values);
	}
	await client.query(writeApplied, [Buffer.from(String(schemaMax))]);
	const oldestWriter = Math.max(version, ...steps.map((step) => step.oldestWriter));
	await client.query("UPDATE schema_version SET version = $1", [oldestWriter]);
}

/** Splits SQL at semicolons that end a line: a distributed engine takes only one statement at a time. */
function statementsOf(sql: string): string[] {
	return sql.split(/;$/m).filter((statement) => statement.trim() !== "");
}

/** Whether a commit waits for a synchronous standby: a commit of this start or of an earlier one. */
async function isWaitingForStandby(pool: NodePool): Promise<boolean> {
	const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()
		AND usename = current_user AND query_start < clock_timestamp() - interval '${standbySeconds} s'`;
	return pool.query(waiting).then(
		({ rows }) => rows.length > 0,
		() => false,
	);
}
