// Opens the connection pool of a PostgreSQL database, with a time-out for every wait. For TLS, `sslmode` has the same
// meaning as in PostgreSQL's own clients (manual, libpq, SSL Support).

import type { ConnectionOptions } from "node:tls";
import pg from "pg";
import { parse } from "pg-connection-string";
import type { OpenOptions } from "../engine.ts";
import { StoreRefused } from "../store.ts";
import { NodePool } from "./connections.ts";
import { toRefusal } from "./errors.ts";
import { migrate } from "./migrate.ts";
import { checkServer, refuseUnsafe } from "./server.ts";
import { type PostgresUrl, parsePostgresUrl } from "./url.ts";

const connectionsDefault = 10;
const lockTimeoutMs = 3_000;
const statementTimeoutMs = 4_000;
/** If the server does not reply, a query fails here this long after the server's own time-out. */
const answerLateMs = 1_000;
/** How long a connection is idle before TCP probes it. A lost connection is closed 10 s later. */
const keepAliveMs = 5_000;

/** int8 and int4 are read as bigint. */
const integers = [20, 23];
const types = {
	getTypeParser: ((oid: number, format?: "text" | "binary") =>
		integers.includes(oid) ? BigInt : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};

/**
 * Time-outs are connection parameters, because a pooler would keep a session's setting for the next client.
 * @returns also whether Citus has placed the tables (`refuseUnsafe`) @throws StoreRefused
 */
export async function openPool(
	url: string,
	options: OpenOptions = {},
	limitMs = statementTimeoutMs,
): Promise<{ pool: NodePool; cursorSecret: Buffer; isPlaced: boolean }> {
	const { mustExist = false, onCreate, connectionsMax = connectionsDefault } = options;
	const parsed = parsePostgresUrl(url);
	const { parameters, ...server } = parsed;
	const pool = new NodePool({
		...server,
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
		await refuseUnsafe(pool);
		await migrate(pool);
		const isPlaced = await refuseUnsafe(pool); // Checks new tables, too.
		const { rows } = await pool.query("SELECT value FROM settings WHERE name = 'cursor_secret'");
		if (!hasStore) onCreate?.(`the database ${server.database}`);
		return { pool, cursorSecret: rows[0].value, isPlaced };
	} catch (error) {
		await pool.end();
		throw toRefusal(error, parsed);
	}
}

/** The options of TLS; undefined if no parameter concerns TLS. @throws StoreRefused if a file cannot be read */
function tlsOptions({ parameters }: PostgresUrl): ConnectionOptions | false | undefined {
	const given = new URLSearchParams([...parameters].filter(([name]) => name.startsWith("ssl")));
	// Node's own root certificates are used; libpq would use the system's.
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
