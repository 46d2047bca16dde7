// A service whose database is unreachable at start ends with one line. Its supervisor starts it again.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { describeError } from "../../src/cli/command-error.ts";
import { readConfig } from "../../src/config.ts";
import { keyFromRandom } from "../../src/keys/formats.ts";
import { createLogTo } from "../../src/ops/log.ts";
import { startService } from "../../src/service.ts";
import { openStore } from "../../src/store/open.ts";
import { ask } from "../support/caller.ts";
import { databaseFor } from "../support/postgres.ts";
import { startPostgresFor } from "../support/postgres-server.ts";
import { startProgram, startRefused } from "../support/program.ts";
import { startProxy } from "../support/tcp-proxy.ts";
import { slowMs } from "../support/until.ts";

const key = keyFromRandom(Buffer.alloc(32, 7));

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
		const environment = { DATABASE_URL: await cuttingAt(context, url, text), API_KEY: key, PORT: "0", OPS_PORT: "0" };
		const log = createLogTo({ write: () => {} }, "silent");
		const isExplained = (error: unknown) => {
			const [sentence = "", ...others] = describeError(error);
			assert.deepEqual(others, [], text);
			assert.match(sentence, /^cannot reach PostgreSQL at |: Connection terminated/, text);
			assert.doesNotMatch(sentence, /: :|\(: /, "no cause has an empty text");
			return true;
		};
		await assert.rejects(startService({ config: readConfig(environment), log, issuesFirstKey: true }), isExplained);
	};
	await Promise.all(statements.map(start));
});

test("a service that cannot reach its database ends with one line, and works when started again", {
	timeout: slowMs,
}, async (context) => {
	const server = await startPostgresFor(context);
	await server.kill();
	const environment = { DATABASE_URL: server.databaseUrl, API_KEY: key };
	await startRefused(environment, /^animal-store: cannot reach PostgreSQL at 127\.0\.0\.1:\d+ \(ECONNREFUSED\): /);
	await server.start();
	const { url } = await startProgram(context, environment);
	const reply = await ask(`${url}/v1/pets`, { key });
	assert.deepEqual([reply.status, reply.body], [200, "[]"]);
});
