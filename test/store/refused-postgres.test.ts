// PostgreSQL servers, databases and certificates that the service refuses, and the messages.

import assert from "node:assert/strict";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { describeError } from "../../src/cli/command-error.ts";
import { readConfig } from "../../src/config.ts";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { createLogTo } from "../../src/ops/log.ts";
import { startService } from "../../src/service.ts";
import { openStore } from "../../src/store/open.ts";
import { certificate } from "../support/certificate.ts";
import { assertRefused, call } from "../support/command.ts";
import { databaseFor, withSettings } from "../support/postgres.ts";
import { startPostgresFor } from "../support/postgres-server.ts";
import { startRefused } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { runSql, setOnServer } from "../support/sql.ts";
import { withStore } from "../support/store-reads.ts";
import { startProxy } from "../support/tcp-proxy.ts";
import { slowMs, within } from "../support/until.ts";

test("an unusable database is refused with one sentence that names the fix", async (context) => {
	const database = await databaseFor(context);
	const replica = await databaseFor(context);
	const { pathname } = new URL(replica.url);
	await replica.query(`ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = on`);
	const changed = (parts: Partial<URL>) => Object.assign(new URL(database.url), parts).href;
	const rows: [url: string, said: RegExp][] = [
		[changed({ password: "wrong" }), /rejects the user animals: fix user and password/],
		[changed({ pathname: "/nothing" }), /has no database nothing: create it/],
		[changed({ search: "?sslmode=verify-full" }), /no TLS connection to PostgreSQL at .*: fix the server, or sslmode/],
		[replica.url, /read-only, perhaps a replica: set DATABASE_URL to the primary/],
		[changed({ hostname: "nowhere.invalid" }), /cannot reach PostgreSQL at nowhere\.invalid/],
	];
	const commands = rows.map(([url, { source }]): [string[], RegExp] => [
		["keys", "create", "--name", "a", "--database-url", url],
		new RegExp(`^animal-store: (?!.*(:animals@|wrong@)).*${source}.*\n$`),
	]);
	await assertRefused(commands);
	const away = /^animal-store: cannot reach PostgreSQL at 127\.0\.0\.1:1 \(ECONNREFUSED\): start it, or fix host .*\n$/;
	await startRefused({ DATABASE_URL: changed({ port: "1" }) }, away);
});

/** A piece of each statement that a start sends, including those that it sends after opening the store. */
const statements = ["version()", "schema_version", "'cursor_secret'", "secrets WHERE hash", "secrets LIMIT 1"];

/** Starts a proxy that cuts each connection on which this text is sent. @returns its URL */
async function cuttingAt(context: TestContext, url: string, text: string): Promise<string> {
	const port = await startProxy(context, new URL(url), (bytes, to, { near, end }) => {
		if (to === near || !bytes.includes(text)) to.write(bytes);
		else end();
	});
	return Object.assign(new URL(url), { port: String(port) }).href;
}

test("a start whose connection breaks at any of its statements ends with one sentence", async (context) => {
	const { url } = await databaseFor(context);
	await (await openStore(url, Date.now)).close();
	const start = async (text: string) => {
		const API_KEY = keyFromRandom(Buffer.alloc(32, 7));
		const config = readConfig({ DATABASE_URL: await cuttingAt(context, url, text), API_KEY, PORT: "0", OPS_PORT: "0" });
		const log = createLogTo({ write: () => {} }, "silent");
		const isExplained = (error: unknown) => {
			const [sentence = "", ...others] = describeError(error);
			assert.deepEqual(others, [], text);
			assert.match(sentence, /^cannot reach PostgreSQL at |: Connection terminated/, text);
			assert.doesNotMatch(sentence, /: :|\(: /, "no cause has an empty text");
			return true;
		};
		await assert.rejects(startService({ config, log, issuesFirstKey: true }), isExplained);
	};
	await Promise.all(statements.map(start));
});

test("a database of another program is refused as it is; a role without CREATE may start", async (context) => {
	for (const [name, column] of Object.entries({ settings: "id", pets: "id", schema_version: "installed_rank" })) {
		const { url, query } = await databaseFor(context);
		await query(`CREATE TABLE ${name} (${column} INTEGER)`);
		const said = `the table ${name} of the database belongs to another program: name another database or schema`;
		await assert.rejects(openStore(url, Date.now), { name: "StoreRefused", message: said });
		const names = await query("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()");
		assert.deepEqual(names, [{ tablename: name }]);
	}
	for (const sql of ["CREATE TABLE pet_counts ()", "CREATE TYPE counters AS ENUM ()"]) {
		const { url, query } = await databaseFor(context);
		await query(sql);
		const refused = { name: "StoreRefused", message: /"(pet_counts|counters)" already exists/ };
		await within("the refusal", assert.rejects(openStore(url, Date.now), refused));
		assert.ok((await query("SELECT FROM pg_tables WHERE schemaname = current_schema()")).length < 2);
	}
	const { url, query } = await databaseFor(context);
	const role = `without_create_${process.pid}`;
	await (await openStore(url, Date.now)).close();
	await query(`CREATE ROLE ${role}; REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT USAGE ON SCHEMA public TO ${role};
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
	try {
		await withStore(withSettings(url, { role }), ({ createPet }) => createPet({ name: "Rex", categoryId: 1n }));
	} finally {
		await query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
	}
});

/** A server whose settings the tests below change, one after the other. */
const server = await startPostgresFor({ after });

test("a missing synchronous standby is reported at every start, until it is no longer required", {
	timeout: slowMs, // Each of the two refused starts waits for 5 s.
}, async () => {
	const url = server.databaseUrl;
	await setOnServer(url, "synchronous_standby_names", "*");
	const said =
		"commits wait for a synchronous standby, and none is connected: start it, or change synchronous_standby_names on the server";
	await startRefused({ DATABASE_URL: url }, new RegExp(`^animal-store: ${said}\n$`));
	// At the second start, the commit of the first start is still waiting.
	await assert.rejects(openStore(url, Date.now), { name: "StoreRefused", message: said });
	await setOnServer(url, "synchronous_standby_names", "");
	await withStore(url, ({ createPet }) => createPet({ name: "Rex", categoryId: 1n }));
});

test("sslmode controls the check of the server's certificate, as in PostgreSQL's own clients", async (context) => {
	const folder = temporaryFolder(context);
	const url = server.databaseUrl;
	const data = String((await runSql(url, "SHOW data_directory"))[0]?.["data_directory"]);
	const { uid, gid } = statSync(data);
	const [ours, foreign] = await Promise.all([certificate(), certificate()]);
	for (const [name, text] of Object.entries({ "server.crt": ours.cert, "server.key": ours.private })) {
		writeFileSync(join(data, name), text, { mode: 0o600 });
		chownSync(join(data, name), uid, gid);
	}
	await setOnServer(url, "ssl", "on");
	const root = join(folder, "root.crt");
	const otherRoot = join(folder, "other.crt");
	writeFileSync(root, ours.cert);
	writeFileSync(otherRoot, foreign.cert);
	const isForeign = /no TLS connection .*self-signed certificate/;
	const isOfOther = /no TLS connection .*127\.0\.0\.1 is not in the cert's list/;
	const rows: [host: string, parameters: string, refused?: RegExp][] = [
		["localhost", `sslmode=verify-full&sslrootcert=${root}`],
		["127.0.0.1", `sslmode=verify-full&sslrootcert=${root}`, isOfOther],
		["127.0.0.1", `sslmode=verify-ca&sslrootcert=${root}`],
		["localhost", `sslmode=verify-full&sslrootcert=${otherRoot}`, isForeign],
		["localhost", "sslmode=verify-full&sslrootcert=system", isForeign],
		["localhost", "sslrootcert=system", isForeign],
		["127.0.0.1", `sslrootcert=${root}`, isOfOther],
		["127.0.0.1", `sslmode=require&sslrootcert=${root}`],
		["127.0.0.1", `sslmode=require&sslrootcert=${otherRoot}`, isForeign],
		["localhost", "sslmode=verify-full", isForeign],
		["127.0.0.1", `sslmode=verify-ca&sslrootcert=${otherRoot}`, isForeign],
		["127.0.0.1", "sslmode=require"],
		["127.0.0.1", "sslmode=disable"],
		["localhost", `sslmode=verify-full&sslrootcert=${folder}/none.crt`, /cannot read .*none\.crt.*: fix sslrootcert/],
	];
	const keys = (host: string, parameters: string, ...command: string[]) => {
		const url = `postgres://animals:animals@${host}:${server.port}/postgres?${parameters}`;
		return call(["keys", ...command], { environment: { DATABASE_URL: url } });
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
