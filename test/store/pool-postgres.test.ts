// Nodes' connections to PostgreSQL: too few for all nodes, or to a read-only primary.

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { NodePool } from "../../src/store/postgres/connections.ts";
import { refuseUnsafe } from "../../src/store/postgres/server.ts";
import { parsePostgresUrl } from "../../src/store/postgres/url.ts";
import { ask, callerOf } from "../support/caller.ts";
import { databaseFor } from "../support/postgres.ts";
import { startPostgresFor } from "../support/postgres-server.ts";
import { keyFor, startRefused } from "../support/program.ts";
import { testService } from "../support/service.ts";
import { connect, runSql, setOnServer } from "../support/sql.ts";
import { serviceOnServer, serviceWithStandby } from "../support/standby.ts";
import { until } from "../support/until.ts";

/** A node in this process. */
const startNode = (context: TestContext, environment: Record<string, string>) =>
	testService(context, { environment, mixes: false });

test("a node opens at most DATABASE_POOL_MAX connections, named as DATABASE_URL says", async (context) => {
	const database = await databaseFor(context);
	const url = `${database.url}${database.url.includes("?") ? "&" : "?"}application_name=small`;
	const key = await keyFor(url);
	const node = await startNode(context, { DATABASE_URL: url, DATABASE_POOL_MAX: "2" });
	const { get } = callerOf(node.url, key);
	const replies = await Promise.all(Array.from({ length: 40 }, (_, index) => get(`/v1/pets?limit=${index + 1}`)));
	for (const { status } of replies) assert.equal(status, 200);
	const opened = await database.query("SELECT FROM pg_stat_activity WHERE application_name = 'small'");
	assert.equal(opened.length, 2);
});

test("the search for shards waits for its node's connection; a start needs a free connection", async (context) => {
	const { databaseUrl: url } = await startPostgresFor(context, ["-c", "max_connections=5"]);
	const pool = new NodePool(parsePostgresUrl(url));
	context.after(() => pool.end());
	const own = await pool.take();
	const others = [];
	for (let other = 0; other < 4; other++) others.push(await connect(context, url));
	await assert.rejects(pool.take(), /^Error: timeout/, "a query waits three seconds for a connection of its node");
	const later = until("the search to wait", () => pool.waitingCount > 0).then(() => own.release());
	await Promise.all([later, refuseUnsafe(pool)]);
	for (const other of others) await other.end();
	const open = "SELECT count(*) AS open FROM pg_stat_activity WHERE backend_type = 'client backend'";
	await until("the server to have room", async () => (await pool.query(open)).rows[0].open === "1");
	const now = performance.now.bind(performance);
	context.mock.method(performance, "now", () => now() + 1000);
	const clients = await Promise.all([pool.take(), pool.take(), pool.take()]);
	assert.equal(pool.totalCount, 3);
	for (const client of clients) assert.equal(client.listenerCount("notice"), 0);
	for (const client of clients) client.release(true);
	const isFull = async () => !(await connect(context, url).catch(() => undefined));
	await until("the server to be full", isFull);
	const connects = context.mock.method(pool, "connect");
	await assert.rejects(pool.take(), /too many clients/);
	assert.equal(connects.mock.callCount(), 1, "a node without a connection does not wait for one");
	const said = /^animal-store: PostgreSQL at \S+ has no free connection: raise its max_connections, or lower .*\n$/;
	await startRefused({ DATABASE_URL: url }, said);
});

test("edits use a quarter of a node's connections, and searches two of them", async (context) => {
	context.mock.timers.enable({ apis: ["setTimeout"] });
	const pool = new NodePool({ max: 100 });
	const most = new Map([[pool.limitTransactions, 25] as const, [pool.limitScans, 2] as const]);
	for (const [limit, expected] of most) {
		const done = Promise.withResolvers<void>();
		let running = 0;
		const task = () => {
			running++;
			return done.promise;
		};
		const tasks = Array.from({ length: 30 }, () => limit(task));
		assert.equal(running, expected);
		context.mock.timers.tick(3_000);
		done.resolve();
		const ended = (await Promise.allSettled(tasks)).filter(({ status }) => status === "fulfilled");
		assert.equal(ended.length, expected, "the others have waited for too long");
	}
	const only = new NodePool({ max: 1 });
	const { mock } = context.mock.method(only, "connect");
	await only.cancel(1n);
	assert.equal(mock.callCount(), 0, "a search is not cancelled on the connection that it has");
});

test("a node leaves a server that has become read-only at most once in two seconds", async (context) => {
	const database = await databaseFor(context);
	const pool = new NodePool(parsePostgresUrl(database.url));
	context.after(() => pool.end());
	let nowMs = 1000;
	context.mock.method(performance, "now", () => nowMs);
	const refuse = () => Promise.reject(Object.assign(new Error("read-only"), { code: "25006" }));
	const kept: boolean[] = [];
	for (const ms of [0, 1_999, 1]) {
		nowMs += ms;
		const clients = [await pool.take(), await pool.take()];
		for (const client of clients) client.release();
		await assert.rejects(pool.run(refuse), /read-only/);
		const next = await pool.take();
		kept.push(clients.includes(next));
		next.release();
	}
	assert.deepEqual(kept, [false, true, false]);
});

test("an idle node keeps one of its connections", async (context) => {
	const database = await databaseFor(context);
	const pool = new NodePool({ ...parsePostgresUrl(database.url), idleTimeoutMillis: 20 });
	context.after(() => pool.end());
	const pid = async () => (await pool.query("SELECT pg_backend_pid() AS pid")).rows[0].pid;
	const pids = await Promise.all([pid(), pid(), pid()]);
	await until("idle connections to be closed", () => pool.totalCount < 2);
	// Long enough for a pool that closes its last connection too.
	await sleep(200);
	assert.ok(pids.includes(await pid()));
});

test("while the primary is read-only, the node is ready and reads; later creates succeed", async (context) => {
	const { server, service: node, key } = await serviceOnServer(context);
	const url = server.databaseUrl;
	assert.equal((await create(node.url, key)).status, 201);
	await setOnServer(url, readOnly, "on");
	assert.equal((await create(node.url, key)).status, 503);
	for (let look = 0; look < 5; look++) {
		assert.equal((await ask(`${node.url}/v1/pets`, { key })).status, 200);
		const ready = await ask(`${node.url}/readyz`);
		assert.deepEqual([ready.status, JSON.parse(ready.body)], [200, { status: "ok", writes: "failing" }]);
		await runSql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'animal-store'");
		// The node notices at its next statement, or earlier, that its connections have ended.
		const isRead = async () => (await ask(`${node.url}/v1/pets`, { key })).status === 200;
		await until("a read on a new connection", isRead);
	}
	await setOnServer(url, readOnly, "off");
	await until("a create", async () => (await create(node.url, key)).status === 201);
});

test("a node is not ready while its animals are locked, for example by a rewrite of the table", async (context) => {
	const { url } = await databaseFor(context);
	const node = await startNode(context, { DATABASE_URL: url });
	const readyz = async () => (await ask(`${node.url}/readyz`)).status;
	assert.equal(await readyz(), 200);
	const other = await connect(context, url);
	await other.query("BEGIN; LOCK TABLE pets");
	assert.equal(await readyz(), 503);
	await other.query("ROLLBACK");
	await until("the node to be ready", async () => (await readyz()) === 200);
});

test("when a running primary becomes read-only, all move to the one promoted in its place", async (context) => {
	const { service: node, key, primary: old, standby: next, lead } = await serviceWithStandby(context);
	assert.equal((await create(node.url, key)).status, 201);
	// Each limit makes a different statement, which needs a connection.
	const count = async (limit: number): Promise<number> =>
		JSON.parse((await ask(`${node.url}/v1/pets?limit=${limit}`, { key })).body).length;
	const countAtOnce = async () =>
		new Set(await Promise.all(Array.from({ length: 20 }, (_, index) => count(index + 3))));
	assert.deepEqual(await countAtOnce(), new Set([1]));
	await setOnServer(old.databaseUrl, readOnly, "on");
	await runSql(next.databaseUrl, "SELECT pg_promote()");
	lead(next);
	assert.equal((await create(node.url, key)).status, 503);
	assert.equal((await create(node.url, key)).status, 201, "no other connection to the old primary is used");
	assert.deepEqual(await countAtOnce(), new Set([2]), "each read sees the create on the next primary");
	assert.equal((await runSql(old.databaseUrl, "SELECT FROM pets")).length, 1);
});

const readOnly = "default_transaction_read_only";
const create = (url: string, key: string) => callerOf(url, key).create();
