// The service behind PgBouncer in transaction mode, whose clients share a few connections to the server.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listAll } from "../ledger.ts";
import { startMixedLoad } from "../mixed-load.ts";
import { answering, freePort } from "../postgres-server.ts";
import { startProgram } from "../program.ts";
import { newDatabase, type Proof, program, type Trial } from "../proof.ts";

export const proof: Proof = {
	shows:
		"three nodes behind a transaction pooler, with and without named statements, lose no create and read their own writes",
	needs: [program("pgbouncer")],
	options: { creates: { default: "20000", text: "creates for each of both" } },
	async prove(trial) {
		const version = /PgBouncer (\S+)/.exec(execFileSync("pgbouncer", ["--version"], { encoding: "utf8" }))?.[1] ?? "";
		const [major = 0, minor = 0] = version.split(".").map(Number);
		const acknowledged: Record<string, number> = {};
		// The first version that can follow named statements.
		const keepsNames = major > 1 || minor >= 21;
		for (const statements of keepsNames ? [100, 0] : [undefined]) {
			const { environment, key } = await newDatabase(trial);
			const url = await startPooler(environment.DATABASE_URL, trial, statements);
			acknowledged[statements ? "named" : "unnamed"] = await loadNodes(url, key, trial, !statements);
		}
		return { pgbouncer: version, nodes: 3, poolerClients, poolerConnections, acknowledged };
	},
};

/** @returns the number of creates */
async function loadNodes(databaseUrl: string, key: string, trial: Trial, isWithoutNames: boolean): Promise<number> {
	const nodes = await Promise.all([1, 2, 3].map(() => startProgram(trial, { DATABASE_URL: databaseUrl })));
	const { ledger, statuses, stop } = startMixedLoad(
		nodes.map(({ url }) => url),
		key,
		24,
	);
	const headers = { authorization: `Bearer ${key}` };
	const statusOf = async (url: string) => (await fetch(url, { headers })).status;
	while (ledger.acknowledged.size < Number(trial.option("creates"))) {
		const id = [...ledger.acknowledged.values()].at(-1)?.id;
		for (const { url } of id ? nodes : []) assert.equal(await statusOf(`${url}/v1/pets/${id}`), 200);
		// Different limits are different statements: the nodes want more connections than the pooler takes.
		const lists = nodes.flatMap(({ url }) => [1, 2, 3, 4, 5].map((limit) => statusOf(`${url}/v1/pets?limit=${limit}`)));
		assert.deepEqual(new Set(await Promise.all(lists)), new Set([200]));
		await sleep(10);
	}
	await stop();
	assert.deepEqual([...statuses.keys()], [201]);
	ledger.verify(await listAll(nodes[0]?.url ?? "", key));
	for (const { process, output } of nodes) {
		assert.equal(process.exitCode, null, "no node ended");
		assert.equal(/does not keep named statements/.test(output.stdout), isWithoutNames);
		process.kill("SIGTERM");
	}
	await Promise.all(nodes.map(({ finished }) => finished));
	return ledger.acknowledged.size;
}

const poolerConnections = 5;
const poolerClients = 10;

/**
 * PgBouncer in transaction mode, with what docs/scale.md says it needs.
 * @param statements `max_prepared_statements`, if it knows that setting
 * @returns its DATABASE_URL
 */
async function startPooler(databaseUrl: string, { after }: Trial, statements: number | undefined): Promise<string> {
	const server = new URL(databaseUrl);
	const port = await freePort();
	const place = mkdtempSync(join(tmpdir(), "animal-store-pooler-"));
	chmodSync(place, 0o755);
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
${statements === undefined ? "" : `max_prepared_statements = ${statements}`}
ignore_startup_parameters = statement_timeout,lock_timeout
`,
	);
	const asUser = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
	const pooler = spawn("pgbouncer", [...asUser, join(place, "pgbouncer.ini")], { stdio: "ignore" });
	after(() => {
		pooler.kill("SIGKILL");
		rmSync(place, { recursive: true });
	});
	await once(pooler, "spawn");
	await answering(port);
	server.port = String(port);
	return server.href;
}
