// TLS to the database server, with generated certificates. The tests show which servers each sslmode accepts.

import assert from "node:assert/strict";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { certificate } from "../support/certificate.ts";
import { startPostgresFor } from "../support/postgres-server.ts";
import { runProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";

test("sslmode controls the check of the server's certificate, as in PostgreSQL's own clients", async (context) => {
	const server = await startPostgresFor(context);
	const folder = temporaryFolder(context);
	const owner = new pg.Client({ connectionString: `${server.url}/postgres` });
	// If the test fails early, the server is removed while this client is connected.
	owner.on("error", () => {});
	await owner.connect();
	const data = (await owner.query("SHOW data_directory")).rows[0].data_directory;
	const { uid, gid } = statSync(data);
	const [ours, foreign] = await Promise.all([certificate(), certificate()]);
	for (const [name, text] of Object.entries({ "server.crt": ours.cert, "server.key": ours.private })) {
		writeFileSync(join(data, name), text, { mode: 0o600 });
		chownSync(join(data, name), uid, gid);
	}
	await owner.query("ALTER SYSTEM SET ssl = on");
	await owner.query("SELECT pg_reload_conf()");
	await owner.end();
	const root = join(folder, "root.crt");
	const otherRoot = join(folder, "other.crt");
	writeFileSync(root, ours.cert);
	writeFileSync(otherRoot, foreign.cert);

	const rows: [host: string, parameters: string, refused?: RegExp][] = [
		["localhost", `sslmode=verify-full&sslrootcert=${root}`],
		[
			"127.0.0.1",
			`sslmode=verify-full&sslrootcert=${root}`,
			/no TLS connection .*127\.0\.0\.1 is not in the cert's list/,
		],
		["127.0.0.1", `sslmode=verify-ca&sslrootcert=${root}`],
		["localhost", `sslmode=verify-full&sslrootcert=${otherRoot}`, /no TLS connection .*self-signed certificate/],
		["localhost", "sslmode=verify-full&sslrootcert=system", /no TLS connection .*self-signed certificate/],
		["localhost", "sslrootcert=system", /no TLS connection .*self-signed certificate/],
		["127.0.0.1", `sslrootcert=${root}`, /no TLS connection .*127\.0\.0\.1 is not in the cert's list/],
		["127.0.0.1", `sslmode=require&sslrootcert=${root}`],
		["127.0.0.1", `sslmode=require&sslrootcert=${otherRoot}`, /no TLS connection .*self-signed certificate/],
		["localhost", "sslmode=verify-full", /no TLS connection .*self-signed certificate/],
		["127.0.0.1", `sslmode=verify-ca&sslrootcert=${otherRoot}`, /no TLS connection .*self-signed certificate/],
		["127.0.0.1", "sslmode=verify-ca", /DATABASE_URL has sslmode=verify-ca without sslrootcert/],
		["127.0.0.1", "sslmode=require"],
		["127.0.0.1", "sslmode=disable"],
		["localhost", `sslmode=verify-full&sslrootcert=${folder}/none.crt`, /cannot read .*none\.crt.*: fix sslrootcert/],
		[
			"localhost",
			"sslmode=maybe",
			/DATABASE_URL has the unknown sslmode maybe: use disable, require, verify-ca or verify-full/,
		],
	];
	const keys = (host: string, parameters: string, ...command: string[]) => {
		const url = `postgres://animals:animals@${host}:${server.port}/postgres?${parameters}`;
		return runProgram(["keys", ...command], { environment: { DATABASE_URL: url } });
	};
	const made = await keys("localhost", "sslmode=disable", "create", "--name", "first");
	assert.equal(made.code, 0, made.stderr);
	for (const [host, parameters, refused] of rows) {
		const { code, stderr } = await keys(host, parameters, "list");
		assert.equal(code, refused ? 1 : 0, `${parameters}: ${stderr}`);
		if (refused) assert.match(stderr, refused);
		assert.ok(stderr.trim().split("\n").length <= 1, stderr);
	}
});
