// The service behind PgBouncer in transaction mode, whose clients share a few connections to the server.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listAll } from "../ledger.ts";
import { answering, freePort } from "../postgres-server.ts";
import { startProgram } from "../program.ts";
import { newDatabase, type Proof, program, type Trial } from "../proof.ts";
import { startSteadyLoad } from "../steady-load.ts";

export const proof: Proof = {
	shows: "three nodes behind a transaction pooler lose no create and read their own writes",
	needs: [program("pgbouncer")],
	async prove(trial) {
		const { environment, key } = await newDatabase(trial);
		const pooled = { DATABASE_URL: await startPooler(environment.DATABASE_URL, trial) };
		const nodes = await Promise.all([1, 2, 3].map(() => startProgram(trial, pooled)));
		const { ledger, stop } = startSteadyLoad(
			nodes.map(({ url }) => url),
			key,
		);
		while (ledger.acknowledged.size < 20_000) {
			const id = [...ledger.acknowledged.values()].at(-1)?.id;
			const headers = { authorization: `Bearer ${key}` };
			for (const { url } of id ? nodes : [])
				assert.equal((await fetch(`${url}/v1/pets/${id}`, { headers })).status, 200);
			await sleep(10);
		}
		await stop();
		ledger.verify(await listAll(nodes[0]?.url ?? "", key));
		return { acknowledged: ledger.acknowledged.size, nodes: nodes.length, poolerConnections };
	},
};

const poolerConnections = 5;

/** PgBouncer in transaction mode, with what docs/scale.md says it needs. @returns its DATABASE_URL */
async function startPooler(databaseUrl: string, { after }: Trial): Promise<string> {
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
max_prepared_statements = 100
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
