// PostgreSQL servers and databases on which the service refuses to start, and the messages.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask } from "../support/caller.ts";
import { databaseFor, requireStandby } from "../support/postgres.ts";
import { startPostgresFor } from "../support/postgres-server.ts";
import { runProgram, startProgram, startRefused } from "../support/program.ts";
import { slowMs } from "../support/until.ts";

test("an unusable database is refused with one sentence that names the fix", async (context) => {
	const database = await databaseFor(context);
	const newer = await databaseFor(context);
	const replica = await databaseFor(context);
	assert.equal(
		(await runProgram(["keys", "create", "--name", "a"], { environment: { DATABASE_URL: newer.url } })).code,
		0,
	);
	await newer.query("UPDATE schema_version SET version = 99");
	const { pathname } = new URL(replica.url);
	await replica.query(`ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = on`);
	// Simulates an older server: a function in the database returns an older version.
	const old = await databaseFor(context);
	await old.query(`CREATE FUNCTION public.current_setting(name text, missing boolean) RETURNS text LANGUAGE sql AS
		$$ SELECT CASE name WHEN 'server_version_num' THEN '130022' ELSE pg_catalog.current_setting(name, missing) END $$`);
	await old.query(`ALTER DATABASE ${new URL(old.url).pathname.slice(1)} SET search_path = public, pg_catalog`);
	const lax = await databaseFor(context);
	await lax.query(`ALTER DATABASE ${new URL(lax.url).pathname.slice(1)} SET synchronous_commit = off`);
	const changed = (parts: Partial<URL>) => Object.assign(new URL(database.url), parts).href;
	const rows: [url: string, said: RegExp][] = [
		[changed({ password: "wrong" }), /rejects the user animals: fix user and password/],
		[changed({ pathname: "/nothing" }), /has no database nothing: create it/],
		[changed({ search: "?sslmode=verify-full" }), /no TLS connection to PostgreSQL at .*: fix the server, or sslmode/],
		[
			newer.url,
			/^animal-store: the database was written by a newer animal-store \(schema 99, this one supports 6\): upgrade/,
		],
		[old.url, /this PostgreSQL \(13\.22\) is too old: use 14 or newer/],
		[lax.url, /acknowledges commits before they are on disk: turn on fsync and synchronous_commit/],
		[replica.url, /read-only, perhaps a replica: set DATABASE_URL to the primary/],
	];
	for (const [url, said] of rows) {
		const stderr = await startRefused({ DATABASE_URL: url }, said);
		assert.doesNotMatch(stderr, /:animals@|wrong@/, "no password");
	}
});

test("a command refuses a database that is away", async (context) => {
	const { url } = await databaseFor(context);
	const rows: [parts: Partial<URL>, said: RegExp][] = [
		[
			{ port: "1" },
			/^animal-store: cannot reach PostgreSQL at 127\.0\.0\.1:1 \(ECONNREFUSED\): start it, or fix host and port .*\n$/,
		],
		[{ hostname: "nowhere.invalid" }, /^animal-store: cannot reach PostgreSQL at nowhere\.invalid.*\n$/],
	];
	for (const [parts, said] of rows) {
		const environment = { DATABASE_URL: Object.assign(new URL(url), parts).href };
		const { code, stderr } = await runProgram(["keys", "list"], { environment });
		assert.equal(code, 1, stderr);
		assert.match(stderr, said);
		assert.doesNotMatch(stderr, /:animals@/, "no password");
	}
});

test("a missing synchronous standby is reported at every start, until it is no longer required", {
	timeout: slowMs, // Each of the two refused starts waits for 5 s.
}, async (context) => {
	const server = await startPostgresFor(context);
	const url = `${server.url}/postgres`;
	await requireStandby(url, "*");
	// At the second start, the commit of the first start is still waiting.
	for (let start = 0; start < 2; start++) {
		await startRefused(
			{ DATABASE_URL: url },
			/^animal-store: commits wait for a synchronous standby, and none is connected: start it, or change synchronous_standby_names on the server\n$/,
		);
	}
	await requireStandby(url, "");
	const service = await startProgram(context, { DATABASE_URL: url });
	assert.equal((await ask(`${service.url}/readyz`)).status, 200);
});
