// Migrates the schema of a PostgreSQL store. The first node that starts with a newer version runs the migrations.

import { readApplied, readMigrations, writeApplied } from "../migrations.ts";
import { StoreRefused } from "../store.ts";
import { begin, durably, type NodePool } from "./connections.ts";

const migrations = readMigrations("postgres");

export const { schemaMax } = migrations;

/** The limit for one migration of a large store, and for waiting while another node runs it. */
const migrationLimitMs = 30 * 60_000;
/** A commit that waits longer than this for a standby is not just slow. */
const standbySeconds = 2;

/**
 * A lock on the version row serializes concurrent starts: one node migrates, then the others have nothing to do.
 * @throws StoreRefused, and the server's errors
 */
export async function migrate(pool: NodePool): Promise<void> {
	const startedAtMs = performance.now();
	for (;;) {
		try {
			return await migrateOnce(pool);
		} catch (error) {
			if (await isWaitingForStandby(pool)) {
				throw new StoreRefused(
					"commits wait for a synchronous standby, and none is connected: " +
						"start it, or change synchronous_standby_names on the server",
				);
			}
			const isTooLate = performance.now() - startedAtMs > migrationLimitMs;
			if (isTooLate || !concurrentMigrationCodes.test((error as { code?: string }).code ?? "")) throw error;
		}
	}
}

/** The migration was rolled back because of another node, or another node did not release a lock in time. */
const concurrentMigrationCodes = /^(40001|40P01|55P03)$/;

async function migrateOnce(pool: NodePool): Promise<void> {
	const columns = "one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL";
	await pool.query(`CREATE TABLE IF NOT EXISTS schema_version (${columns})`).catch((error) => {
		// This can still collide with a concurrent start of another node. Then the table exists.
		if (!/^(23505|42P07|42710)$/.test(error.code)) throw error;
	});
	await pool.query("INSERT INTO schema_version VALUES (1, 0) ON CONFLICT (one) DO NOTHING");
	const client = await pool.take();
	let isBroken = true;
	try {
		await client.query(`${begin}; SELECT ${durably}`);
		const { rows } = await client.query("SELECT version FROM schema_version FOR UPDATE");
		const version = Number(rows[0].version);
		const problem = migrations.refuse(version);
		if (problem !== undefined) throw new StoreRefused(`the database ${problem}`);
		await client.query(`SET LOCAL statement_timeout = ${migrationLimitMs}`);
		const applied = version === 0 ? 0 : Number(String((await client.query(readApplied)).rows[0]?.value ?? version));
		const steps = migrations.after(applied);
		for (const text of steps.flatMap(({ sql }) => statementsOf(sql))) {
			// In this mode, the server refuses a text with two statements.
			const statement = { text, queryMode: "extended", query_timeout: migrationLimitMs };
			await client.query(statement);
		}
		if (applied < schemaMax) await client.query(writeApplied, [Buffer.from(String(schemaMax))]);
		const oldestWriter = Math.max(version, ...steps.map((step) => step.oldestWriter));
		await client.query("UPDATE schema_version SET version = $1", [oldestWriter]);
		await client.query("COMMIT");
		isBroken = false;
	} finally {
		client.release(isBroken);
	}
}

/** Splits SQL at semicolons that end a line: a distributed engine takes only one statement at a time. */
function statementsOf(sql: string): string[] {
	return sql.split(/;$/m).filter((statement) => statement.trim() !== "");
}

/** Whether a commit of this start or of an earlier start waits for a synchronous standby. */
async function isWaitingForStandby(pool: NodePool): Promise<boolean> {
	const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()
		AND usename = current_user AND query_start < clock_timestamp() - interval '${standbySeconds} s'`;
	return pool.query(waiting).then(
		({ rows }) => rows.length > 0,
		() => false,
	);
}
