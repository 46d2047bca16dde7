// The connection pool of a PostgreSQL database, with a time-out for every wait, and its TLS. `sslmode` means the same
// as in PostgreSQL's own clients (manual, libpq, SSL Support): `require` encrypts, `verify-ca` checks the issuer of the
// certificate, `verify-full` also its host name.

import type { ConnectionOptions } from "node:tls";
import pg from "pg";
import { parse } from "pg-connection-string";
import type { OpenOptions } from "../engine.ts";
import { StoreRefused } from "../store.ts";
import { NodePool } from "./connections.ts";
import { toRefusal } from "./errors.ts";
import { migrate } from "./migrate.ts";
import { checkServer, refuseShards } from "./server.ts";
import { type PostgresUrl, parsePostgresUrl } from "./url.ts";

const connectionsDefault = 10;
const lockTimeoutMs = 3_000;
const statementTimeoutMs = 4_000;
/** How much longer to wait for a server that does not report its time-out. */
const answerLateMs = 1_000;
/** How long a connection is idle before TCP probes it; a lost one is closed 10 s later. */
const keepAliveMs = 5_000;

/** int8 and int4 are read as bigint. */
const integers = [20, 23];
const types = {
	getTypeParser: ((oid: number, format?: "text" | "binary") =>
		integers.includes(oid) ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/**
 * The time-outs are parameters of the connections: a setting in a session would stay with a pooler's connection.
 * @throws StoreRefused
 */
export async function openPool(
	url: string,
	options: OpenOptions = {},
	limitMs = statementTimeoutMs,
): Promise<{ pool: NodePool; cursorSecret: Buffer }> {
	const { mustExist = false, onCreate, connectionsMax = connectionsDefault } = options;
	const parsed = parsePostgresUrl(url);
	const { host, port, user, password, database, parameters } = parsed;
	const pool = new NodePool({
		host,
		port,
		user,
		password,
		database,
		ssl: tlsOptions(parsed),
		max: connectionsMax,
		statement_timeout: limitMs,
		lock_timeout: lockTimeoutMs,
		query_timeout: limitMs + answerLateMs,
		keepAlive: true,
		keepAliveInitialDelayMillis: keepAliveMs,
		application_name: parameters.get("application_name") ?? "animal-store",
		options: parameters.get("options"),
		types,
		pipeline: true,
	});
	try {
		const hasStore = await checkServer(pool);
		if (!hasStore && mustExist) throw new StoreRefused("there is no store in this database: fix DATABASE_URL");
		await refuseShards(pool);
		await migrate(pool);
		await refuseShards(pool); // New tables may be placed elsewhere.
		const { rows } = await pool.query("SELECT value FROM settings WHERE name = 'cursor_secret'");
		if (!hasStore) onCreate?.(`the database ${database}`);
		return { pool, cursorSecret: rows[0].value };
	} catch (error) {
		await pool.end();
		throw toRefusal(error, parsed);
	}
}

/** Undefined if no parameter concerns TLS. @throws StoreRefused if a file cannot be read */
function tlsOptions({ parameters }: PostgresUrl): ConnectionOptions | false | undefined {
	const given = new URLSearchParams([...parameters].filter(([name]) => name.startsWith("ssl")));
	// Uses Node's root certificates; libpq would use those of the system.
	if (given.get("sslrootcert") === "system") {
		given.delete("sslrootcert");
		given.set("sslmode", "verify-full");
	}
	try {
		return parse(`postgres:///?${given}`, { useLibpqCompat: true }).ssl as ConnectionOptions | false | undefined;
	} catch (error) {
		const { message } = error as Error;
		throw new StoreRefused(
			`cannot read a file for TLS (${message}): fix sslrootcert, sslcert or sslkey in DATABASE_URL`,
		);
	}
}
