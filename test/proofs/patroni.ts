// Failovers of a synchronous Patroni cluster, while two nodes use its primary through HAProxy.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../support/caller.ts";
import { configurationOf } from "../support/document-blocks.ts";
import { keepingCaller } from "../support/histories.ts";
import { isServing } from "../support/listen.ts";
import {
	asServer,
	freePort,
	isAnswering,
	serverFolder,
	serverProcesses,
	signalAll,
} from "../support/postgres-server.ts";
import { type Proof, program, type Trial, withKey } from "../support/proof.ts";
import { until } from "../support/until.ts";
import { startNodesUnderLoad } from "./nodes.ts";
import { bin, postgresTools } from "./pg-backup.ts";

export const proof: Proof = {
	shows: "failovers of a synchronous Patroni cluster lose, repeat and reorder no acknowledged animal, and end no node",
	needs: [program("patroni"), program("etcd", "etcd-server"), program("haproxy"), postgresTools],
	options: { failovers: { default: "3", text: "kills of the primary" } },
	async prove(trial) {
		const members = await startMembers(trial);
		await primaryOf(members);
		const port = await startHaproxy(members, trial);
		const store = await withKey(`postgres://animals:${password}@127.0.0.1:${port}/postgres`);
		const { nodes, load, stop } = await startNodesUnderLoad(trial, store);
		const callers = nodes.map((service) => keepingCaller({ service, key: store.key, sql: async () => [] }, 100));
		const listAgain = () => Promise.all(callers.map((list) => list()));
		for (let failover = 1; failover <= Number(trial.option("failovers")); failover++) {
			const lost = await primaryOf(members);
			await load.acknowledges(300);
			await listAgain();
			await kill(lost);
			await load.acknowledges(300, { withinMs: 120_000 });
			trial.say(`failover ${failover}: creates work again`);
			lost.patroni = lost.start();
		}
		await primaryOf(members);
		await load.stop();
		const seen = await listAgain();
		const { animals, figures } = await stop();
		const expected = animals.map(({ id, name }) => `${id} ${name}`);
		for (const list of seen)
			assert.deepEqual(list, expected, "callers that keep pages with their ETags see every animal");
		return figures;
	},
};

const password = "animals";

interface Member {
	name: string;
	postgresPort: number;
	restPort: number;
	data: string;
	start(): ChildProcess;
	patroni: ChildProcess;
}

async function startMembers(trial: Trial): Promise<Member[]> {
	const etcdPort = await startEtcd(trial);
	const members: Member[] = [];
	trial.after(() => Promise.all(members.map(kill)));
	for (const name of ["db1", "db2"]) {
		members.push(await createMember(name, trial, etcdPort));
		// The first member creates the cluster, and the second copies the first.
		const isRunning = async () =>
			(await readMembers(members)).some((one) => one.name === name && /^(running|streaming)$/.test(one.state));
		await until(`${name} to run`, isRunning, { withinMs: 120_000, everyMs: 200 });
	}
	return members;
}

async function startEtcd({ folder, after }: Trial): Promise<number> {
	const [clientPort, peerPort] = [await freePort(), await freePort()];
	const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
	const urls = ["--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer];
	const more = ["--initial-advertise-peer-urls", peer, "--initial-cluster", `default=${peer}`];
	const log = openSync(join(folder, "etcd.log"), "a");
	const etcd = spawn("etcd", ["--data-dir", join(folder, "etcd"), ...urls, ...more], { stdio: ["ignore", log, log] });
	after(() => etcd.kill("SIGKILL"));
	await until("etcd", () => isServing(`${client}/health`));
	return clientPort;
}

async function createMember(name: string, trial: Trial, etcdPort: number): Promise<Member> {
	const folder = serverFolder(trial.folder, name);
	const [postgresPort, restPort] = [await freePort(), await freePort()];
	const data = join(folder, "data");
	const configuration = {
		scope: "animals",
		name,
		restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
		etcd3: { host: `127.0.0.1:${etcdPort}` },
		bootstrap: {
			// Patroni's shortest `ttl`: 20 s after the last heartbeat of the primary, the standby is promoted.
			dcs: { ttl: 20, loop_wait: 1, retry_timeout: 3, synchronous_mode: true, postgresql: { use_pg_rewind: true } },
			initdb: [{ encoding: "UTF8" }, { locale: "C" }, "data-checksums"],
		},
		postgresql: {
			listen: `127.0.0.1:${postgresPort}`,
			connect_address: `127.0.0.1:${postgresPort}`,
			data_dir: data,
			bin_dir: bin,
			pgpass: join(folder, "pgpass"),
			authentication: {
				superuser: { username: "animals", password },
				replication: { username: "standby", password },
			},
			pg_hba: ["host all all 127.0.0.1/32 scram-sha-256", "host replication standby 127.0.0.1/32 scram-sha-256"],
			parameters: { unix_socket_directories: "" },
		},
	};
	const file = join(folder, "patroni.json");
	// JSON is valid YAML.
	writeFileSync(file, JSON.stringify(configuration));
	const log = openSync(join(folder, "log"), "a");
	const start = () => spawn("patroni", [file], { cwd: folder, stdio: ["ignore", log, log], ...asServer() });
	return { name, postgresPort, restPort, data, start, patroni: start() };
}

/** Sends SIGKILL to Patroni and all processes of its server, as if the machine were lost. */
async function kill({ data, patroni }: Member): Promise<void> {
	const ended = patroni.exitCode === null && patroni.signalCode === null ? once(patroni, "exit") : undefined;
	patroni.kill("SIGKILL");
	await ended;
	try {
		const main = Number.parseInt(readFileSync(join(data, "postmaster.pid"), "utf8"), 10);
		signalAll(serverProcesses(main), "SIGKILL");
	} catch {
		// The server is not running.
	}
}

/** The state of all members, as the first member that replies reports it. */
async function readMembers(members: Member[]): Promise<Record<"name" | "role" | "state", string>[]> {
	for (const { restPort } of members) {
		const reply = await ask(`http://127.0.0.1:${restPort}/cluster`).catch(() => undefined);
		if (reply?.status === 200) return JSON.parse(reply.body).members;
	}
	return [];
}

/** Waits until there is a primary with a synchronous standby. @returns the primary */
function primaryOf(members: Member[]): Promise<Member> {
	return until(
		"a primary with a synchronous standby",
		async () => {
			const known = await readMembers(members);
			const isReady = known.some(({ role, state }) => role === "sync_standby" && /running|streaming/.test(state));
			const leader = known.find(({ role, state }) => role === "leader" && state === "running");
			return isReady && members.find(({ name }) => name === leader?.name);
		},
		{ withinMs: 180_000, everyMs: 200 },
	);
}

/** Starts HAProxy with the configuration of docs/postgresql.md. @returns its port */
async function startHaproxy(members: Member[], { folder, after }: Trial): Promise<number> {
	const port = await freePort();
	const servers = members.map(({ name, postgresPort, restPort }) => [
		`${name}.internal:5432 check port 8008`,
		`127.0.0.1:${postgresPort} check port ${restPort}`,
	]);
	const replaced = { "bind 127.0.0.1:5432": `bind 127.0.0.1:${port}`, ...Object.fromEntries(servers) };
	const file = join(folder, "haproxy.cfg");
	writeFileSync(file, configurationOf("docs/postgresql.md", "haproxy", replaced));
	const haproxy = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" });
	after(() => haproxy.kill("SIGKILL"));
	await until("HAProxy to reach the primary", () => isAnswering(port), { everyMs: 50 });
	return port;
}
