// A cluster of Citus: a coordinator and two workers, each a server of its own.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type PostgresServer, startPostgresFor } from "./postgres-server.ts";
import type { Need, Trial } from "./proof.ts";
import { runSql } from "./sql.ts";

/** All tables on the coordinator, or a schema of its own, which Citus keeps on one worker. */
export type CitusLayout = "local" | "schema";

export interface CitusCluster {
	workers: PostgresServer[];
	/** Such as `PostgreSQL 15.20, Citus 13.2.2`. */
	version: string;
	/** A new database. @returns its URL on the coordinator */
	database(name: string, layout: CitusLayout): Promise<string>;
}

function ofInstallation(flag: "--bindir" | "--pkglibdir"): string | undefined {
	try {
		return execFileSync(process.env["PG_CONFIG"] || "pg_config", [flag], { encoding: "utf8" }).trim();
	} catch {
		return undefined;
	}
}

export const citusServer: Need = {
	text: "PostgreSQL with Citus: its pg_config in PG_CONFIG or on the PATH",
	isMet: () => existsSync(join(ofInstallation("--pkglibdir") ?? "", "citus.so")),
};

/** `wal_level`: schemas move between workers by logical replication. The servers here have no certificates. */
const settings = ["shared_preload_libraries=citus", "wal_level=logical", "citus.node_conninfo=sslmode=prefer"];
const flags = [...settings, "max_connections=300", "max_prepared_transactions=100"].flatMap((text) => ["-c", text]);

export async function startCitus(trial: Trial): Promise<CitusCluster> {
	const start = () => startPostgresFor(trial, flags, ofInstallation("--bindir"));
	const servers = await Promise.all([start(), start(), start()]);
	const [coordinator, ...workers] = servers as [PostgresServer, ...PostgresServer[]];

	async function database(name: string, layout: CitusLayout): Promise<string> {
		const urls = servers.map(({ url }) => `${url}/${name}`);
		for (const { url } of servers) await runSql(`${url}/postgres`, `CREATE DATABASE ${name}`);
		for (const url of urls) await runSql(url, "CREATE EXTENSION citus");
		const [url = ""] = urls;
		await runSql(url, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
		for (const { port } of workers) await runSql(url, `SELECT citus_add_node('127.0.0.1', ${port})`);
		if (layout === "local") return url;
		// As docs/postgresql.md says.
		await runSql(url, `ALTER DATABASE ${name} SET citus.enable_schema_based_sharding = on`);
		await runSql(url, "CREATE SCHEMA animals");
		await runSql(url, `ALTER DATABASE ${name} SET search_path = animals`);
		return url;
	}

	const probe = await database("versions", "local");
	const read =
		"SELECT extversion, current_setting('server_version') AS server FROM pg_extension WHERE extname = 'citus'";
	const [row] = await runSql(probe, read);
	const version = `PostgreSQL ${String(row?.["server"]).split(" ")[0]}, Citus ${row?.["extversion"]}`;
	return { workers, version, database };
}
