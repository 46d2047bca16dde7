// The connection pool of a PostgreSQL database, with a time-out for every wait.

import { existsSync } from "node:fs";
import pg from "pg";
import { type OpenOptions, StoreRefused } from "../store.ts";
import { checkServer, refuseShards } from "./engine.ts";
import { toRefusal } from "./errors.ts";
import { migrate } from "./migrate.ts";

const connectionsMax = 10;
const connectTimeoutMs = 3_000;
const lockTimeoutMs = 3_000;
const statementTimeoutMs = 4_000;
/** For a server that does not even report its own time-outs. */
const answerTimeoutMs = 5_000;

/** int8 is read as bigint, because a number cannot represent all of its values. */
const int8 = 20;
const types = {
	getTypeParser: ((oid: number, format?: "text" | "binary") =>
		oid === int8 ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/** A named statement is planned once for each connection. */
export interface Statement {
	name: string;
	text: string;
}

/** Rows are arrays, in the order of the statement's columns. @throws StorageUnavailable */
export type Query = (statement: Statement, values: unknown[]) => Promise<pg.QueryArrayResult>;

export interface Opened {
	pool: pg.Pool;
	cursorSecret: Buffer;
}

/** @throws StoreRefused */
export async function openPool(url: string, options: OpenOptions = {}): Promise<Opened> {
	const { mustExist = false, onCreate, onWarning } = options;
	const pool = new pg.Pool({
		connectionString: withLibpqModes(url),
		max: connectionsMax,
		connectionTimeoutMillis: connectTimeoutMs,
		statement_timeout: statementTimeoutMs,
		lock_timeout: lockTimeoutMs,
		query_timeout: answerTimeoutMs,
		keepAlive: true,
		application_name: "animal-store",
		types,
		pipeline: true,
	} as pg.PoolConfig);
	pool.on("error", () => {}); // An idle connection was lost: the next query opens another.
	// If a connection in use is lost, its query fails; without a listener the process would end too.
	pool.on("connect", (client) => client.on("error", () => {}));
	try {
		await checkServer(pool, onWarning);
		const isNew = !(await hasStore(pool));
		if (isNew && mustExist) throw new StoreRefused("there is no store in this database: fix DATABASE_URL");
		await refuseShards(pool);
		await migrate(pool);
		await refuseShards(pool); // A new table may be elsewhere.
		const { rows } = await pool.query("SELECT value FROM settings WHERE name = 'cursor_secret'");
		if (isNew) onCreate?.(`the database ${decodeURIComponent(new URL(url).pathname.slice(1))}`);
		return { pool, cursorSecret: rows[0].value };
	} catch (error) {
		await pool.end();
		throw toRefusal(error, url);
	}
}

/**
 * `sslmode` means the same as in PostgreSQL's own clients: `require` encrypts, `verify-ca` checks the issuer of the
 * certificate, `verify-full` also its host name (PostgreSQL manual, libpq, SSL Support).
 * @throws StoreRefused
 */
function withLibpqModes(url: string): string {
	const parsed = new URL(url);
	const mode = parsed.searchParams.get("sslmode");
	const root = parsed.searchParams.get("sslrootcert");
	if (mode === null) return url;
	if (!/^(disable|require|verify-ca|verify-full)$/.test(mode))
		throw new StoreRefused(
			`sslmode ${mode} is unknown: use disable, require, verify-ca or verify-full in DATABASE_URL`,
		);
	if (mode === "verify-ca" && root === null)
		throw new StoreRefused(
			"sslmode=verify-ca needs sslrootcert, the file of the issuer's certificate, in DATABASE_URL",
		);
	// Node's root certificates, where libpq uses those of the system.
	if (root === "system") parsed.searchParams.delete("sslrootcert");
	else if (root !== null && !existsSync(root))
		throw new StoreRefused(`cannot read ${root}: fix sslrootcert in DATABASE_URL`);
	parsed.searchParams.set("uselibpqcompat", "true");
	return parsed.href;
}

async function hasStore(pool: pg.Pool): Promise<boolean> {
	const { rows } = await pool.query("SELECT to_regclass('schema_version') IS NOT NULL AS found");
	return rows[0].found;
}
