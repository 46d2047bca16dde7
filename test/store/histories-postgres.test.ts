// The server or database of a running service is replaced by another that lacks rows that callers have already read.

import { test } from "node:test";
import {
	addAnimals,
	assertSeen,
	keepingCaller,
	keepLinks,
	proveCrash,
	proveFailover,
	type Scene,
	statusOf,
} from "../support/histories.ts";
import { databaseFor, withDatabase } from "../support/postgres.ts";
import { keyFor, startProgram } from "../support/program.ts";
import { runSql } from "../support/sql.ts";
import { serviceWithStandby } from "../support/standby.ts";
import { slowMs, until } from "../support/until.ts";

test("after a failover to a standby that lacks animals, an edit and a key, none is shown", {
	timeout: slowMs, // Two servers are started and killed.
}, async (context) => {
	await proveFailover(await serviceWithStandby(context));
});

test("with a synchronous standby, commits only a crash made visible hide nothing acknowledged", {
	timeout: slowMs, // Two servers are started and killed.
}, async (context) => {
	await proveCrash(await serviceWithStandby(context));
});

test("after a restore under a running service, nothing of the abandoned timeline is shown", async (context) => {
	const { url } = await databaseFor(context);
	const admin = withDatabase(url, "postgres");
	const name = new URL(url).pathname.slice(1);
	const key = await keyFor(url);
	const service = await startProgram(context, { DATABASE_URL: url });
	const scene: Scene = { service, key, sql: (statement) => runSql(url, statement) };
	const caller = keepingCaller(scene);
	await addAnimals(scene, 40, "common");
	const alone = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;
	const copy = async () => {
		await runSql(admin, alone);
		// It fails if the service has connected again in the meantime.
		return runSql(admin, `CREATE DATABASE saved_${name} TEMPLATE ${name}`).catch(() => undefined);
	};
	await until("a copy", copy);
	await addAnimals(scene, 25, "lost");
	await assertSeen(scene, [caller]);
	const assertLinks = await keepLinks(scene);
	await assertLinks();
	await runSql(admin, `DROP DATABASE ${name} WITH (FORCE)`);
	await runSql(admin, `ALTER DATABASE saved_${name} RENAME TO ${name}`);
	await until("a read", async () => (await statusOf(scene)) === 200);
	await assertLinks();
	await addAnimals(scene, 30, "new");
	await assertSeen(scene, [caller]);
	// The tables are replaced, as by pg_restore --clean.
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
