// The service on a real Citus. While all tables are in one place, the service keeps every create and its order. If they
// are spread over shards, the service refuses to start, and running nodes stop their writes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../support/caller.ts";
import { type PostgresServer, startPostgresFor } from "../support/postgres-server.ts";
import { type Running, startProgram, startRefused } from "../support/program.ts";
import { type Need, type Proof, type Trial, withKey } from "../support/proof.ts";
import { runSql } from "../support/sql.ts";
import { until } from "../support/until.ts";
import { startNodesUnderLoad } from "./nodes.ts";

function ofInstallation(flag: "--bindir" | "--pkglibdir"): string | undefined {
	try {
		return execFileSync(process.env["PG_CONFIG"] || "pg_config", [flag], { encoding: "utf8" }).trim();
	} catch {
		return undefined;
	}
}

const citusServer: Need = {
	text: "PostgreSQL with Citus: its pg_config in PG_CONFIG or on the PATH",
	isMet: () => existsSync(join(ofInstallation("--pkglibdir") ?? "", "citus.so")),
};

export const proof: Proof = {
	shows:
		"on Citus, with all tables in one place, no create is lost or seen out of order, even when a worker is killed; " +
		"a store that is spread over shards is refused at the start, and while nodes run",
	needs: [citusServer],
	options: { creates: { default: "2000", text: "creates before and after each fault" } },
	async prove(trial) {
		const cluster = await startCitus(trial);
		const local = await proveOrder(cluster, "local", trial);
		const schema = await proveOrder(cluster, "schema", trial);
		// Citus refuses to spread tables with triggers, such as the animals.
		const spreads = [
			"create_distributed_table('idempotency_keys', 'key')",
			"create_reference_table('idempotency_keys')",
		];
		for (const spread of spreads) await proveRefused(cluster, spread, trial);
		return { local, schema };
	},
};

/**
 * Two nodes under load, with a reader of the last page. The store moves between the workers, and both workers are
 * killed. At its end, a move locks the tables, so creates get 503 if the lock lasts more than 3 s.
 */
async function proveOrder(cluster: CitusCluster, layout: CitusLayout, trial: Trial) {
	const store = await withKey(await cluster.database(`kept_${layout}`, layout));
	const { load, stop } = await startNodesUnderLoad(trial, store);
	const creates = Number(trial.option("creates"));
	await load.acknowledges(creates);
	const moves = layout === "schema" ? await moveAround(cluster, store.environment.DATABASE_URL) : 0;
	for (const worker of cluster.workers) {
		await worker.kill();
		await sleep(1000);
		await worker.start();
		await load.acknowledges(creates, { withinMs: 120_000 });
	}
	const { figures } = await stop();
	trial.say(`${layout}: ${figures.acknowledged} creates, both workers killed`);
	return { ...figures, moves };
}

/** Moves the store's schema from worker to worker. @returns the number of moves */
async function moveAround({ workers }: CitusCluster, url: string): Promise<number> {
	const [place] = await runSql(url, "SELECT DISTINCT nodeport AS port FROM citus_shards");
	const from = workers.findIndex(({ port }) => port === place?.["port"]);
	assert.ok(from >= 0, "the store is on one of the workers");
	for (let move = 1; move <= 4; move++) {
		const { port } = workers[(from + move) % workers.length] ?? assert.fail();
		await runSql(url, `SELECT citus_schema_move('animals', '127.0.0.1', ${port})`);
	}
	return 4;
}

/** @param spread a call of the function that spreads a table */
async function proveRefused(cluster: CitusCluster, spread: string, trial: Trial): Promise<void> {
	const name = spread.slice(0, spread.indexOf("("));
	const { environment } = await withKey(await cluster.database(name, "local"));
	const nodes = await Promise.all([startProgram(trial, environment), startProgram(trial, environment)]);
	await runSql(environment.DATABASE_URL, `SELECT ${spread}`);
	const isStopped = async ({ url }: Running) => (await ask(`${url}/readyz`)).body.includes('"writes":"stopped"');
	// The time that docs/postgresql.md promises, plus the time of a reply.
	await Promise.all(nodes.map((node) => until("the end of its writes", () => isStopped(node), { withinMs: 6_000 })));
	await startRefused(environment, /the layout of the store is "single", .* idempotency_keys is on several shards/);
	await Promise.all(nodes.map((node) => node.stop()));
	await runSql(environment.DATABASE_URL, "SELECT undistribute_table('idempotency_keys')");
	const again = await startProgram(trial, environment);
	assert.equal((await again.stop()).code, 0);
	trial.say(`${name}: refused, and after undistribute_table the store starts again`);
}

/** `local`: all tables are on the coordinator. `schema`: they are in a separate schema, which is on one worker. */
type CitusLayout = "local" | "schema";

type CitusCluster = Awaited<ReturnType<typeof startCitus>>;

/** Schemas move between workers by logical replication, which `wal_level` enables. The servers have no certificates. */
const settings = ["shared_preload_libraries=citus", "wal_level=logical", "citus.node_conninfo=sslmode=prefer"];
const flags = [...settings, "max_connections=300", "max_prepared_transactions=100"].flatMap((text) => ["-c", text]);

async function startCitus(trial: Trial) {
	const start = () => startPostgresFor(trial, flags, ofInstallation("--bindir"));
	const servers = await Promise.all([start(), start(), start()]);
	const [coordinator, ...workers] = servers as [PostgresServer, ...PostgresServer[]];

	/** Creates a database. @returns its URL on the coordinator */
	async function database(name: string, layout: CitusLayout): Promise<string> {
		const urls = servers.map(({ url }) => `${url}/${name}`);
		for (const { url } of servers) await runSql(`${url}/postgres`, `CREATE DATABASE ${name}`);
		for (const url of urls) await runSql(url, "CREATE EXTENSION citus");
		const [url = ""] = urls;
		await runSql(url, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
		for (const { port } of workers) await runSql(url, `SELECT citus_add_node('127.0.0.1', ${port})`);
		if (layout === "local") return url;
		// docs/postgresql.md requires this setting.
		await runSql(url, `ALTER DATABASE ${name} SET citus.enable_schema_based_sharding = on`);
		await runSql(url, "CREATE SCHEMA animals");
		await runSql(url, `ALTER DATABASE ${name} SET search_path = animals`);
		return url;
	}

	return { workers, database };
}
