// A PostgreSQL store whose server or database is exchanged, under a running service, for one that lacks what was read
// before: nothing of the lost history is shown.

import { type TestContext, test } from "node:test";
import { startBalancer } from "./balancer.ts";
import {
	addAnimals,
	assertSeen,
	keepingCaller,
	keepLinks,
	proveCrash,
	proveFailover,
	type Scene,
	statusOf,
} from "./histories.ts";
import { keyFor } from "./key-for.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { startProgram } from "./program.ts";
import { runSql } from "./sql.ts";
import { slowMs, until } from "./until.ts";

/** A service that reaches a primary through a balancer, and a standby of it. */
async function standbyFor(context: TestContext) {
	const primary = await startPostgres();
	context.after(() => primary.remove());
	const key = await keyFor(`${primary.url}/postgres`);
	const standby = await primary.replica();
	context.after(() => standby.remove());
	let server = primary;
	const port = await startBalancer(context, () => [server.port]);
	const service = await startProgram(context, {
		DATABASE_URL: `postgres://animals:animals@127.0.0.1:${port}/postgres`,
	});
	const scene: Scene = { service, key, sql: (statement) => runSql(`${server.url}/postgres`, statement) };
	const lead = (next: PostgresServer) => {
		server = next;
	};
	return { scene, primary, standby, lead };
}

test("after a failover to a standby that lacks animals, an edit and a key, nothing of them is shown, and nothing before it", {
	timeout: slowMs, // Two servers, which are killed and started.
}, async (context) => {
	const { scene, primary, standby, lead } = await standbyFor(context);
	await proveFailover(scene.service, scene.key, [primary, standby], lead);
});

test("with a synchronous standby, what only a crash made visible hides no acknowledged animal after the promotion", {
	timeout: slowMs, // Two servers, which are killed and started.
}, async (context) => {
	const { scene, primary, standby, lead } = await standbyFor(context);
	await proveCrash(scene.service, scene.key, [primary, standby], lead);
});

test("after a restore under a running service, nothing of the lost history is shown", async (context) => {
	const server = await startPostgres();
	context.after(() => server.remove());
	const admin = `${server.url}/postgres`;
	const url = `${server.url}/animals`;
	await runSql(admin, "CREATE DATABASE animals");
	const key = await keyFor(url);
	const service = await startProgram(context, { DATABASE_URL: url });
	const scene: Scene = { service, key, sql: (statement) => runSql(url, statement) };
	const caller = keepingCaller(scene);
	await addAnimals(scene, 40, "common");
	const alone = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'animals'`;
	const copy = async () => {
		await runSql(admin, alone);
		return runSql(admin, "CREATE DATABASE saved TEMPLATE animals").then(
			() => true,
			() => false, // The service was connected again.
		);
	};
	await until("a copy", copy);
	await addAnimals(scene, 25, "lost");
	await assertSeen(scene, [caller]);
	const assertLinks = await keepLinks(scene);
	await assertLinks();
	await runSql(admin, "DROP DATABASE animals WITH (FORCE)");
	await runSql(admin, "ALTER DATABASE saved RENAME TO animals");
	await until("a read", async () => (await statusOf(scene)) === 200);
	await assertLinks();
	await addAnimals(scene, 30, "new");
	await assertSeen(scene, [caller]);
	// As pg_restore --clean does it.
	await addAnimals(scene, 15, "lost, too");
	await assertSeen(scene, [caller]);
	for (const table of ["pets", "counters"])
		await runSql(
			url,
			`BEGIN; CREATE TABLE other (LIKE ${table} INCLUDING ALL);
			INSERT INTO other SELECT * FROM ${table}; DROP TABLE ${table}; ALTER TABLE other RENAME TO ${table}; COMMIT`,
		);
	await runSql(url, "UPDATE counters SET last_id = last_id - 15 WHERE name = 'pets'; DELETE FROM pets WHERE id > 70");
	await addAnimals(scene, 15, "new again");
	await assertSeen(scene, [caller]);
});
