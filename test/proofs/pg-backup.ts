// PostgreSQL's tools restore a dump, a base backup, and a later point in time, with the commands of docs/postgresql.md.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, globSync, renameSync } from "node:fs";
import { join } from "node:path";
import { read } from "../support/checkout.ts";
import { blockOf } from "../support/document-blocks.ts";
import { type Ledger, listAll } from "../support/ledger.ts";
import { startSteadyLoad } from "../support/mixed-load.ts";
import { asServer, freePort, serverFolder } from "../support/postgres-server.ts";
import { startProgram } from "../support/program.ts";
import { type Need, type Proof, type Trial, withKey } from "../support/proof.ts";
import { runSql } from "../support/sql.ts";
import { until } from "../support/until.ts";

const page = "docs/postgresql.md";
/** The folder of the newest installed PostgreSQL from Debian's packages. */
export const [bin = ""] = globSync("/usr/lib/postgresql/*/bin").sort().reverse();

export const postgresTools: Need = {
	text: "PostgreSQL with its tools (Debian package postgresql)",
	isMet: () => existsSync(join(bin, "pg_basebackup")) && existsSync(join(bin, "initdb")),
};

export const proof: Proof = {
	shows: "the documented commands restore PostgreSQL's dumps, base backups and any later point in time",
	needs: [postgresTools],
	async prove(trial) {
		const server = await startServer(trial);
		const { url, shell } = server;
		await runSql(`${url}/postgres`, "CREATE DATABASE animals");
		await runSql(`${url}/postgres`, "CREATE DATABASE restored");
		const { environment, key } = await withKey(`${url}/animals`);
		const service = await startProgram(trial, environment);
		const dumped = await add(service.url, key, 500);

		const NEW_DATABASE_URL = `${url}/restored`;
		shell(blockOf(page, "dump="), { ...environment, NEW_DATABASE_URL });
		const restored = await startProgram(trial, { DATABASE_URL: NEW_DATABASE_URL });
		dumped.verify(await listAll(restored.url, key));
		restored.process.kill("SIGKILL");
		trial.say(`${dumped.acknowledged.size} animals were restored from a dump`);

		shell(blockOf(page, "pg_basebackup --pgdata", server.paths), environment);
		const later = await add(service.url, key, 300);
		const [now] = await runSql(`${url}/animals`, "SELECT clock_timestamp()::text AS moment");
		const lost = await add(service.url, key, 200);
		await archiveAll(`${url}/animals`);
		service.process.kill("SIGKILL");
		server.stop("immediate");
		renameSync(server.data, `${server.data}-lost`);
		shell(blockOf(page, "mkdir -m", server.paths), { PGDATA: server.data, MOMENT: String(now?.["moment"]) });
		server.start();
		const recovered = () => runSql(`${url}/animals`, "SELECT WHERE NOT pg_is_in_recovery()");
		await until("the end of the recovery", async () => (await recovered()).length === 1, { everyMs: 100 });
		const again = await startProgram(trial, environment);
		const pets = await listAll(again.url, key);
		const before = dumped.acknowledged.size + later.acknowledged.size;
		assert.equal(pets.length, before, "all animals up to the moment are restored, and no later animal");
		dumped.verify(pets.slice(0, dumped.acknowledged.size));
		later.verify(pets.slice(dumped.acknowledged.size));
		return { dumped: dumped.acknowledged.size, restored: pets.length, afterTheMoment: lost.acknowledged.size };
	},
};

async function add(url: string, key: string, animals: number): Promise<Ledger> {
	const load = startSteadyLoad([url], key);
	await load.acknowledges(animals);
	await load.stop();
	return load.ledger;
}

/** Waits until the WAL written so far is in the archive. */
async function archiveAll(url: string): Promise<void> {
	const [last] = await runSql(url, "SELECT pg_walfile_name(pg_switch_wal()) AS segment");
	const archived = `SELECT FROM pg_stat_archiver WHERE last_archived_wal >= '${last?.["segment"]}'`;
	await until("the WAL to be archived", async () => (await runSql(url, archived)).length === 1);
}

/** Starts a server of Debian's PostgreSQL with the page's configuration, as nobody if this process is root. */
export async function startServer(trial: Trial) {
	const folder = serverFolder(trial.folder, "server");
	const data = join(folder, "data");
	const paths = { "/var/backups/base": join(folder, "base"), "/var/backups/wal": join(folder, "wal") };
	const port = await freePort();
	const env = { PATH: `${bin}:${process.env["PATH"]}` };
	const options = { cwd: folder, stdio: "pipe", ...asServer() } as const;
	const shell = (script: string, more: Record<string, string> = {}) =>
		void execFileSync("bash", ["-euc", script], { ...options, env: { ...env, ...more } });
	const listen = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
	const start = () => shell(`pg_ctl --silent --wait -D "${data}" -l "${folder}/log" -o "${listen}" start >/dev/null`);
	const stop = (mode: string) => shell(`pg_ctl --silent --wait -D "${data}" -m ${mode} stop`);
	shell("mkdir wal");
	shell(`initdb --pgdata="${data}" --username=animals --auth=trust --encoding=UTF8 --locale=C --no-sync`);
	const [archiving = ""] = /^archive_mode = .*\narchive_command = .*\n/m.exec(read(page)) ?? [];
	appendFileSync(join(data, "postgresql.conf"), archiving.replaceAll("/var/backups/wal", paths["/var/backups/wal"]));
	start();
	trial.after(() => stop("immediate"));
	return { url: `postgres://animals@127.0.0.1:${port}`, data, paths, shell, start, stop };
}
