// `npm run prove`: the long form of the proofs, one line of JSON each. `--kills N` (300) for the crash proof, `--seed N` to
// repeat one, `--only crash|crash-postgres|restore|pooler|balancer|calls|full|sync|overload`. All but the crash proofs need Linux; calls and sync
// need strace, full needs the right to mount, overload needs wrk, pooler needs PgBouncer,
// balancer needs nginx.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { measure } from "../bench/load.ts";
import { post, proveCrashes } from "./crash-proof.ts";
import { attempt, idOf, proveFullDisk } from "./full-disk.ts";
import { Ledger, listAll } from "./ledger.ts";
import { answering, freePort, startPostgres } from "./postgres-server.ts";
import { type Running, runProgram, startProgram } from "./program.ts";
import { proveRestores } from "./restore-proof.ts";
import { proveSyncs, tracing } from "./system-calls.ts";

const { values } = parseArgs({
	options: {
		kills: { type: "string", default: "300" },
		rounds: { type: "string", default: "50" },
		seed: { type: "string", default: String(randomInt(2 ** 31)) },
		only: { type: "string", default: "" },
	},
});
const folder = mkdtempSync(join(tmpdir(), "animal-store-prove-"));
const cleanUps: (() => unknown)[] = [];
const context = { after: (cleanUp: () => void) => void cleanUps.push(cleanUp) };
const say = (line: string) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

/** A store of its own with a key. */
async function newStore(name: string, place = folder) {
	const environment = { DATABASE_URL: `sqlite:${join(place, `${name}.db`)}` };
	return { environment, key: (await runProgram(["keys", "create", "--name", "proof"], { environment })).stdout.trim() };
}

/** A PostgreSQL server of its own with a key. */
async function newDatabase() {
	const server = await startPostgres();
	cleanUps.push(() => server.remove());
	const environment = { DATABASE_URL: `${server.url}/postgres` };
	return { environment, key: (await runProgram(["keys", "create", "--name", "proof"], { environment })).stdout.trim() };
}

const poolerConnections = 5;

/** PgBouncer in transaction mode, with what docs/scale.md says it needs. @returns its DATABASE_URL */
async function startPooler(databaseUrl: string): Promise<string> {
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
	cleanUps.push(() => {
		pooler.kill("SIGKILL");
		rmSync(place, { recursive: true });
	});
	await once(pooler, "spawn");
	await answering(port);
	server.port = String(port);
	return server.href;
}

/** nginx with deploy/nginx.conf, its nodes and port replaced. @returns its URL */
async function startBalancer(nodes: string[]): Promise<string> {
	const port = await freePort();
	const file = join(folder, "nginx.conf");
	const text = readFileSync(new URL("../deploy/nginx.conf", import.meta.url), "utf8");
	const here = text.replace("listen 8080", `listen 127.0.0.1:${port}`);
	writeFileSync(
		file,
		here.replace(/node-(\d):8080/g, (_, number) => nodes[number - 1] ?? ""),
	);
	const balancer = spawn(
		"nginx",
		["-c", file, "-p", folder, "-g", "daemon off; pid nginx.pid; error_log stderr crit;"],
		{
			stdio: ["ignore", "ignore", "inherit"],
		},
	);
	cleanUps.push(() => balancer.kill("SIGTERM"));
	await once(balancer, "spawn");
	await sleep(500);
	return `http://127.0.0.1:${port}`;
}

/** Creates animals through all of these URLs until it is told to stop; each must succeed. */
function create(urls: string[], key: string) {
	const ledger = new Ledger();
	const agent = new Agent({ keepAlive: true });
	let number = 0;
	let isStopped = false;
	const work = Array.from({ length: 24 }, async (_, place) => {
		while (!isStopped) {
			const mine = attempt(number++);
			const answer = await post(urls[place % urls.length] ?? "", key, agent, mine);
			assert.equal(answer.status, 201, answer.body);
			ledger.acknowledge(mine, idOf(answer));
		}
	});
	const stop = async () => {
		isStopped = true;
		await Promise.all(work);
		agent.destroy();
	};
	return { ledger, stop };
}

const proofs: Record<string, () => Promise<object>> = {
	async crash() {
		const { environment, key } = await newStore("crash");
		const start = () => startProgram(context, environment);
		return proveCrashes({ kills: Number(values.kills), seed: Number(values.seed), key, start, onProgress: say });
	},

	async "crash-postgres"() {
		const { environment, key } = await newDatabase();
		const start = () => startProgram(context, environment);
		return proveCrashes({ kills: Number(values.kills), seed: Number(values.seed), key, start, onProgress: say });
	},

	/** `--rounds N` (50) backups, each restored over a store that was killed. */
	restore() {
		const newFolder = () => mkdtempSync(join(folder, "restore-"));
		return proveRestores({ rounds: Number(values.rounds), seed: Number(values.seed), context, newFolder });
	},

	/** The service behind a transaction pooler whose clients share a few connections to the server. */
	async pooler() {
		const { environment, key } = await newDatabase();
		const pooled = { DATABASE_URL: await startPooler(environment.DATABASE_URL) };
		const nodes = await Promise.all([1, 2, 3].map(() => startProgram(context, pooled)));
		const { ledger, stop } = create(
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

	/** deploy/nginx.conf before three nodes, each of which is restarted under load. */
	async balancer() {
		const { environment, key } = await newDatabase();
		const nodes = await Promise.all([1, 2, 3].map(() => startProgram(context, environment)));
		const url = await startBalancer(nodes.map(({ url }) => new URL(url).host));
		const { ledger, stop } = create([url], key);
		for (const [place, node] of nodes.entries()) {
			await sleep(3000);
			node.process.kill("SIGTERM");
			assert.equal((await node.finished).code, 0);
			nodes[place] = await startProgram(context, { ...environment, PORT: new URL(node.url).port });
		}
		await sleep(3000);
		await stop();
		ledger.verify(await listAll(url, key));
		for (const node of nodes) node.process.kill("SIGKILL");
		await Promise.all(nodes.map(({ finished }) => finished));
		const headers = { authorization: `Bearer ${key}` };
		const refused = await fetch(`${url}/v1/pets`, { headers });
		const { code, status } = (await refused.json()) as { code: string; status: number };
		assert.deepEqual([refused.status, code, status], [503, "storage_unavailable", 503]);
		return { acknowledged: ledger.acknowledged.size, failed: 0, restarts: nodes.length };
	},

	async calls() {
		const { environment, key } = await newStore("calls");
		const trace = join(folder, "trace");
		const service = await startProgram(context, environment, { under: tracing(trace) });
		return proveSyncs({ service, key, trace });
	},

	async full() {
		const place = join(folder, "small");
		mkdirSync(place);
		execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "none", place]);
		cleanUps.push(() => execFileSync("umount", ["-l", place]));
		const { environment, key } = await newStore("full", place);
		const service = await startProgram(context, environment);
		const makeRoom = () => void execFileSync("mount", ["-o", "remount,size=64m", place]);
		const ledger = await proveFullDisk({ service, key, makeRoom });
		service.process.kill("SIGKILL");
		await service.finished;
		const again = await startProgram(context, environment);
		ledger.verify(await listAll(again.url, key));
		return { acknowledged: ledger.acknowledged.size, refused: ledger.refused.size };
	},

	async sync() {
		const { environment, key } = await newStore("sync");
		const failing = [
			"strace",
			"-D",
			"-f",
			"-o",
			"/dev/null",
			"-e",
			"trace=fsync,fdatasync",
			"-e",
			"inject=fsync,fdatasync:error=EIO:when=40+",
		];
		const service = await startProgram(context, environment, { under: failing });
		const agent = new Agent({ keepAlive: true });
		const ledger = new Ledger();
		let refused = 0;
		for (let number = 0; refused < 50; number++) {
			assert.ok(number < 500, "no sync failed");
			const answer = await post(service.url, key, agent, attempt(number));
			if (answer.status === 201) {
				assert.equal(refused, 0, "after a failed sync nothing is acknowledged any more");
				ledger.acknowledge(attempt(number), idOf(answer));
			} else {
				assert.equal(answer.status, 503);
				ledger.lose(attempt(number));
				refused++;
			}
		}
		assert.ok((await listAll(service.url, key)).length >= ledger.acknowledged.size, "reads go on");
		assert.equal((await fetch(`${service.url}/readyz`)).status, 503);
		agent.destroy();
		service.process.kill("SIGTERM");
		const { stdout } = await service.finished;
		assert.match(stdout, /a sync of .* failed: no write is taken until the service is started again/);
		const again = await startProgram(context, environment);
		ledger.verify(await listAll(again.url, key));
		assert.equal((await post(again.url, key, new Agent(), attempt(9999))).status, 201);
		return { acknowledged: ledger.acknowledged.size, refused };
	},

	async overload() {
		const { environment, key } = await newStore("overload");
		const service = await startProgram(context, { ...environment, LOG_LEVEL: "info" });
		const load = { url: `${service.url}/v1/pets`, key, body: '{"name":"a","categoryId":1}' };
		const calm = await measure([{ pid: service.pid, load: { ...load, connections: 64, seconds: 10 } }]);
		let mostBytes = 0;
		const sampler = setInterval(async () => {
			mostBytes = Math.max(mostBytes, await memory(service));
		}, 1000);
		const flood = await measure([{ pid: service.pid, load: { ...load, connections: 640, seconds: 60 } }]);
		clearInterval(sampler);
		const endedAt = performance.now();
		while (
			(await post(service.url, key, new Agent(), attempt(1))).status !== 201 &&
			performance.now() - endedAt < 10_000
		);
		const recoveryMs = performance.now() - endedAt;
		assert.ok(recoveryMs < 2000, `a create took ${recoveryMs} ms after the flood`);
		assert.ok(mostBytes < 600e6, `memory grew to ${mostBytes} bytes`);
		assert.ok(flood.p99Ms < 1000, `p99 was ${flood.p99Ms} ms`);
		return { calm, flood, memoryMB: Math.round(mostBytes / 1e6), recoveryMs: Math.round(recoveryMs) };
	},
};

async function memory({ opsUrl }: Running): Promise<number> {
	const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
	return Number(/^process_resident_memory_bytes (\d+)$/m.exec(metrics)?.[1]);
}

try {
	for (const [name, prove] of Object.entries(proofs)) {
		if (values.only && name !== values.only) continue;
		say(`proving: ${name}`);
		console.log(JSON.stringify({ proof: name, ...(await prove()) }));
	}
} finally {
	for (const cleanUp of cleanUps.reverse()) await cleanUp();
	rmSync(folder, { recursive: true, force: true });
}
