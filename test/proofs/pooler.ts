// The service behind PgBouncer, which in transaction mode shares a few server connections among all clients.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "../support/caller.ts";
import { proveCrash, proveFailover } from "../support/histories.ts";
import { listAll } from "../support/ledger.ts";
import { startMixedLoad } from "../support/mixed-load.ts";
import { freePort, isAnswering, type PostgresServer, startPostgresFor } from "../support/postgres-server.ts";
import { begin, runWell, startProgram } from "../support/program.ts";
import { isOnPath, type Need, type Proof, type Trial, withKey } from "../support/proof.ts";
import { connect, runSql } from "../support/sql.ts";
import { serviceWithStandby } from "../support/standby.ts";
import { type CleanUps, until } from "../support/until.ts";
import { stopAtOnce } from "./nodes.ts";

/** The first version of PgBouncer that supports named statements. */
const newPooler: Need = {
	text: "PgBouncer 1.21 or newer, as pgbouncer on the PATH",
	isMet: () => isOnPath("pgbouncer") && /^([2-9]|1\.(2[1-9]|[3-9]))/.test(poolerVersion()),
};

export const proof: Proof = {
	shows:
		"behind a transaction pooler with too few connections no node loses a create, even if the server is killed; " +
		"an editor that is frozen in an edit stops no other; " +
		"no command leaves a setting in a session, and nothing is read from a standby or from an abandoned timeline",
	needs: [newPooler],
	options: { creates: { default: "20000", text: "creates" } },
	async prove(trial) {
		const server = await startPostgresFor(trial);
		const { environment, key } = await withKey(server.databaseUrl);
		// docs/postgresql.md recommends the first two; with the last, the crash of the server would lose animals.
		for (const setting of ["statement_timeout = '4s'", "lock_timeout = '3s'", "synchronous_commit = off"])
			await runSql(environment.DATABASE_URL, `ALTER ROLE animals SET ${setting}`);
		const url = await startPooler(environment.DATABASE_URL, trial);
		const figures = await loadNodes(url, key, server, trial);
		await proveSessions(url);
		await proveFrozen(url, environment.DATABASE_URL, trial);
		await proveFailover(await behindPooler(trial), 4000);
		await proveCrash(await behindPooler(trial));
		return { pgbouncer: poolerVersion(), nodes: 3, poolerClients, poolerConnections, ...figures };
	},
};

/** `erase-names` runs VACUUM with other settings. Afterwards all connections of the pooler have the role's settings. */
async function proveSessions(poolerUrl: string): Promise<void> {
	const said = await runWell(["pets", "erase-names"], { environment: { DATABASE_URL: poolerUrl } });
	assert.match(said, /^erased old names in /);
	const shown = "SELECT pg_backend_pid() AS pid, current_setting('statement_timeout') AS set, pg_sleep(0.3)";
	const rows = await Promise.all(Array.from({ length: poolerConnections }, () => runSql(poolerUrl, shown)));
	assert.equal(new Set(rows.map(([row]) => row?.["pid"])).size, poolerConnections);
	assert.deepEqual(new Set(rows.map(([row]) => row?.["set"])), new Set(["4s"]));
}

/** If a program freezes between the statements of its edit of animal 2, the server rolls the edit back within 5 s. */
export async function proveFrozen(poolerUrl: string, serverUrl: string, context: CleanUps): Promise<void> {
	const environment = { DATABASE_URL: poolerUrl };
	const holder = await connect(context, serverUrl);
	await holder.query("BEGIN; SELECT FROM counters WHERE name = 'edits' FOR UPDATE");
	const { child, finished } = begin(["pets", "rename", "2", "Lost"], { environment });
	const sessions = async (state: string) =>
		(await runSql(serverUrl, `SELECT FROM pg_stat_activity WHERE datname = current_database() AND ${state}`)).length;
	await until("the edit to wait", async () => (await sessions("wait_event_type = 'Lock'")) > 0);
	child.kill("SIGSTOP");
	await holder.end();
	const isOpen = "xact_start IS NOT NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
	await until("the edit to lose its locks", async () => (await sessions(isOpen)) === 0, { withinMs: 5_000 });
	await runWell(["pets", "rename", "2", "Max"], { environment });
	child.kill("SIGCONT");
	assert.equal((await finished).code, 1);
	assert.deepEqual(await runSql(serverUrl, "SELECT name FROM pets WHERE id = 2"), [{ name: "Max" }]);
}

/** The pooler's clients stay connected while the pooler switches to a server with another history. */
const behindPooler = (trial: Trial) => serviceWithStandby(trial, (url) => startPooler(url, trial));

function poolerVersion(): string {
	return /PgBouncer (\S+)/.exec(execFileSync("pgbouncer", ["--version"], { encoding: "utf8" }))?.[1] ?? "";
}

/** How long creates may fail after the server is reachable again (docs/promises.md). */
const backWithinMs = 5_000;

async function loadNodes(databaseUrl: string, key: string, server: PostgresServer, trial: Trial) {
	const nodes = await Promise.all([1, 2, 3].map(() => startProgram(trial, { DATABASE_URL: databaseUrl })));
	const urls = nodes.map(({ url }) => url);
	const load = startMixedLoad(urls, key, { clients: 24 });
	const { ledger, statuses } = load;
	const statusOf = async (url: string) => (await ask(url, { key })).status;
	while (ledger.acknowledged.size < Number(trial.option("creates"))) {
		const id = [...ledger.acknowledged.values()].at(-1)?.id;
		for (const { url } of id ? nodes : []) assert.equal(await statusOf(`${url}/v1/pets/${id}`), 200);
		// Each limit makes a different statement. Together, the nodes need more connections than the pooler accepts.
		const lists = nodes.flatMap(({ url }) => [1, 2, 3, 4, 5].map((limit) => statusOf(`${url}/v1/pets?limit=${limit}`)));
		assert.deepEqual(new Set(await Promise.all(lists)), new Set([200]));
		await sleep(10);
	}
	assert.deepEqual([...statuses.keys()], [201]);
	await server.kill();
	await load.isRefused(100);
	await server.start();
	const startedAtMs = performance.now();
	await load.acknowledges(100, { withinMs: backWithinMs });
	const backAfterMs = Math.round(performance.now() - startedAtMs);
	await load.stop();
	ledger.verify(await listAll(nodes[0]?.url ?? "", key));
	await stopAtOnce(nodes);
	return { acknowledged: ledger.acknowledged.size, backAfterMs };
}

const poolerConnections = 5;
const poolerClients = 10;

/** Starts PgBouncer in transaction mode, with the settings of docs/postgresql.md. @returns its DATABASE_URL */
async function startPooler(databaseUrl: string, { folder, after }: Trial): Promise<string> {
	const server = new URL(databaseUrl);
	const port = await freePort();
	const place = mkdtempSync(join(folder, "pooler-"));
	for (const path of [folder, place]) chmodSync(path, 0o755);
	writeFileSync(join(place, "users.txt"), `"${server.username}" "${server.password}"\n`);
	writeFileSync(
		join(place, "pgbouncer.ini"),
		`[databases]
postgres = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_type = plain
auth_file = ${join(place, "users.txt")}
pool_mode = transaction
default_pool_size = ${poolerConnections}
max_client_conn = ${poolerClients}
max_prepared_statements = 100
server_login_retry = 1
ignore_startup_parameters = statement_timeout,lock_timeout
`,
	);
	const asUser = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
	const pooler = spawn("pgbouncer", [...asUser, join(place, "pgbouncer.ini")], { stdio: "ignore" });
	after(() => pooler.kill("SIGKILL"));
	await once(pooler, "spawn");
	await until("PgBouncer to answer", () => isAnswering(port), { everyMs: 50 });
	server.port = String(port);
	return server.href;
}
