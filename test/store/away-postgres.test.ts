// A service that starts while its database is unreachable waits for it, and the probes say so.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { readConfig } from "../../src/config.ts";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { createLogTo } from "../../src/ops/log.ts";
import { startService } from "../../src/service.ts";
import { ask } from "../support/caller.ts";
import { databaseFor } from "../support/postgres.ts";
import { freePort, startPostgresFor } from "../support/postgres-server.ts";
import { begin } from "../support/program.ts";
import { temporaryFolder } from "../support/service.ts";
import { startProxy } from "../support/tcp-proxy.ts";
import { slowMs, until, within } from "../support/until.ts";

const key = keyFromRandom(Buffer.alloc(32, 7));

/** A piece of each statement that a start sends, including those that it sends after opening the store. */
const statements = ["version()", "schema_version", "'cursor_secret'", "secrets WHERE hash", "secrets LIMIT 1"];

/** Starts a proxy that cuts a connection the first and the second time that each text is sent. @returns its URL */
async function cuttingAt(context: TestContext, url: string, texts: string[]): Promise<string> {
	const left = [...texts, ...texts];
	const port = await startProxy(context, new URL(url), (bytes, to, { near, end }) => {
		const place = to === near ? -1 : left.findIndex((text) => bytes.includes(text));
		if (place < 0) return void to.write(bytes);
		left.splice(place, 1);
		end();
	});
	return Object.assign(new URL(url), { port: String(port) }).href;
}

test("a start whose connections break at any of its statements tries again", async (context) => {
	const { url } = await databaseFor(context);
	const start = async (text: string) => {
		const environment = { DATABASE_URL: await cuttingAt(context, url, [text]), API_KEY: key, PORT: "0", OPS_PORT: "0" };
		const lines: string[] = [];
		const log = createLogTo({ write: (line) => void lines.push(line) }, "info");
		const service = await startService({ config: readConfig(environment), log, issuesFirstKey: true });
		await service.stop();
		assert.match(lines.join(""), /"msg":"waiting for the database"/, text);
		assert.doesNotMatch(lines.join(""), /: :|\(: /, "no cause has an empty text");
	};
	const [first = "", ...others] = statements;
	await start(first); // Creates the store.
	await Promise.all(others.map(start));
});

/** Starts the service, which waits for its database, and waits until the operators' port replies. */
async function startWaiting(context: TestContext, url: string) {
	const opsPort = String(await freePort());
	const environment = { DATABASE_URL: url, PORT: "0", OPS_PORT: opsPort, API_KEY: key };
	const service = begin(["serve"], { environment, folder: temporaryFolder(context) });
	context.after(() => service.child.kill("SIGKILL"));
	const lines = (message: string) => {
		const complete = service.output.stdout.split("\n").slice(0, -1);
		return complete.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
	};
	await until("the wait", () => lines("waiting for the database").length > 0);
	const probe = async (path: string) => {
		const reply = await ask(`http://127.0.0.1:${opsPort}${path}`);
		return { status: reply.status, text: reply.body };
	};
	return { ...service, lines, probe };
}

test("a service that starts while the database is unreachable waits, unready, and then works", {
	timeout: slowMs,
}, async (context) => {
	const server = await startPostgresFor(context);
	await server.kill();
	const { lines, probe } = await startWaiting(context, server.databaseUrl);
	assert.deepEqual(await probe("/livez"), { status: 200, text: '{"status":"ok","writes":"failing"}' });
	const { status, text } = await probe("/readyz");
	assert.equal(status, 503);
	assert.match(JSON.parse(text).message, /cannot reach PostgreSQL at 127\.0\.0\.1:\d+ \(ECONNREFUSED\)/);
	assert.match((await probe("/metrics")).text, /^animal_store_build_info/m);
	await server.start();
	await until("listening", () => lines("listening").length > 0);
	assert.equal((await probe("/readyz")).status, 200);
	assert.equal(lines("waiting for the database").length, 1, "the log says so once");
	const reply = await ask(`${lines("listening")[0].url}/v1/pets`, { key });
	assert.deepEqual([reply.status, reply.body], [200, "[]"]);
});

test("wrong credentials end a service that has waited for its database with one sentence", async (context) => {
	const server = await startPostgresFor(context);
	await server.kill();
	const wrong = server.databaseUrl.replace("animals:animals", "animals:wrong");
	const { finished } = await startWaiting(context, wrong);
	await server.start();
	const { code, stderr } = await within("the end", finished);
	assert.equal(code, 1);
	assert.match(
		stderr,
		/^animal-store: PostgreSQL at 127\.0\.0\.1:\d+ rejects the user animals: fix user and password .*\n$/,
	);
});

test("SIGTERM ends a service that waits, here for a name that nobody knows", async (context) => {
	const { probe, child, finished } = await startWaiting(context, "postgres://a:b@nowhere.invalid/animals");
	assert.match((await probe("/readyz")).text, /cannot reach PostgreSQL at nowhere\.invalid/);
	child.kill("SIGTERM");
	const { code, stderr } = await within("the end", finished);
	assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
});
