// Failovers of a synchronous Patroni cluster, while two nodes use its primary through HAProxy.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../support/caller.ts";
import { configurationOf } from "../support/document-blocks.ts";
import { keepingCaller } from "../support/histories.ts";
import { listAll } from "../support/ledger.ts";
import { isServing } from "../support/listen.ts";
import { startMixedLoad } from "../support/mixed-load.ts";
import { asServer, freePort, serverProcesses, signalAll } from "../support/postgres-server.ts";
import { startProgram } from "../support/program.ts";
import { type Proof, program, type Trial, withKey } from "../support/proof.ts";
import { startPoller } from "../support/readers.ts";
import { until } from "../support/until.ts";
import { stopAtOnce } from "./nodes.ts";
import { bin, postgresTools } from "./pg-backup.ts";

export const proof: Proof = {
	shows: "failovers of a synchronous Patroni cluster lose, repeat and reorder no acknowledged animal, and end no node",
	needs: [program("patroni"), program("etcd", "etcd-server"), program("haproxy"), postgresTools],
	options: { failovers: { default: "3", text: "kills of the primary" } },
	async prove(trial) {
		const cluster = await startCluster(trial);
		await cluster.synchronous();
		const { environment, key } = await withKey(`postgres://animals:animals@${cluster.balancer}/postgres`);
		const nodes = await Promise.all([startProgram(trial, environment), startProgram(trial, environment)]);
		const urls = nodes.map(({ url }) => url);
		const load = startMixedLoad(urls, key);
		const poller = startPoller(urls, key);
		const callers = nodes.map((service) => keepingCaller({ service, key, sql: async () => [] }, 100));
		const pauses = await failOver(cluster, { load, poller, callers }, trial);
		await load.stop();
		const animals = await listAll(urls[0] ?? "", key);
		for (const list of callers)
			assert.deepEqual(
				await list(),
				animals.map(({ id, name }) => `${id} ${name}`),
				"callers that keep pages with their ETags see every animal",
			);
		load.ledger.verify(animals);
		await poller.stop(animals);
		await stopAtOnce(nodes);
		const { acknowledged, unknown } = load.ledger;
		const unknownKept = [...unknown.values()].filter(({ id }) => id !== undefined).length;
		const refused = load.statuses.get(503) ?? 0;
		return { acknowledged: acknowledged.size, refused, unknown: unknown.size, unknownKept, ...pauses };
	},
};

interface Clients {
	load: ReturnType<typeof startMixedLoad>;
	poller: ReturnType<typeof startPoller>;
	/** Callers that list all animals before each failover. */
	callers: ReturnType<typeof keepingCaller>[];
}

/** @returns the longest times without creates and without reads, for each failover */
async function failOver(cluster: Cluster, { load, poller, callers }: Clients, trial: Trial) {
	const withoutCreatesMs: number[] = [];
	const withoutReadsMs: number[] = [];
	for (let failover = 1; failover <= Number(trial.option("failovers")); failover++) {
		const lost = await cluster.synchronous();
		await load.acknowledges(300);
		await Promise.all(callers.map((list) => list()));
		load.longestPauseMs = 0;
		poller.longestPauseMs = 0;
		await cluster.kill(lost);
		await load.acknowledges(300, { withinMs: 120_000 });
		withoutCreatesMs.push(Math.round(load.longestPauseMs));
		withoutReadsMs.push(Math.round(poller.longestPauseMs));
		trial.say(`without creates for ${withoutCreatesMs.at(-1)} ms, without reads for ${withoutReadsMs.at(-1)} ms`);
		cluster.restart(lost);
	}
	await cluster.synchronous();
	return { withoutCreatesMs, withoutReadsMs };
}

const password = "animals";

interface Cluster {
	/** `host:port` of HAProxy, which forwards to the primary. */
	balancer: string;
	/** Waits until there is a primary with a synchronous standby. */
	synchronous(): Promise<Member>;
	/** Sends SIGKILL to Patroni and all processes of its server, as if the machine were lost. */
	kill(member: Member): Promise<void>;
	restart(member: Member): void;
}

interface Member {
	name: string;
	postgresPort: number;
	restPort: number;
	data: string;
	start(): ChildProcess;
	patroni: ChildProcess;
}

async function startCluster(trial: Trial): Promise<Cluster> {
	chmodSync(trial.folder, 0o755);
	const owner = asServer();
	const etcdPort = await startEtcd(trial);
	const members: Member[] = [];
	for (const name of ["db1", "db2"]) {
		members.push(await createMember(name, { trial, etcdPort, owner }));
		// The first member creates the cluster, and the second copies the first.
		await until(`${name} to run`, () => isRunning(members, name), { withinMs: 120_000, everyMs: 200 });
	}
	trial.after(() => Promise.all(members.map(kill)));
	const balancer = await startHaproxy(members, trial);
	return {
		balancer: `127.0.0.1:${balancer}`,
		async synchronous() {
			const name = await until("a primary with a synchronous standby", () => primaryOf(members), {
				withinMs: 180_000,
				everyMs: 200,
			});
			return members.find((member) => member.name === name) as Member;
		},
		kill,
		restart(member) {
			member.patroni = member.start();
		},
	};
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

interface Place {
	trial: Trial;
	etcdPort: number;
	owner: { uid?: number; gid?: number };
}

async function createMember(name: string, { trial, etcdPort, owner }: Place): Promise<Member> {
	const folder = join(trial.folder, name);
	mkdirSync(folder);
	if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid ?? 0);
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
	const start = () => spawn("patroni", [file], { cwd: folder, stdio: ["ignore", log, log], ...owner });
	return { name, postgresPort, restPort, data, start, patroni: start() };
}

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

interface Known {
	name: string;
	role: string;
	state: string;
}

/** The state of all members, as the first member that replies reports it. */
async function readMembers(members: Member[]): Promise<Known[]> {
	for (const { restPort } of members) {
		const reply = await ask(`http://127.0.0.1:${restPort}/cluster`).catch(() => undefined);
		if (reply?.status === 200) return JSON.parse(reply.body).members;
	}
	return [];
}

async function isRunning(members: Member[], name: string): Promise<boolean> {
	const known = await readMembers(members);
	return known.some((one) => one.name === name && /^(running|streaming)$/.test(one.state));
}

async function primaryOf(members: Member[]): Promise<string | undefined> {
	const known = await readMembers(members);
	const isStandbyReady = known.some(({ role, state }) => role === "sync_standby" && /running|streaming/.test(state));
	return isStandbyReady ? known.find(({ role, state }) => role === "leader" && state === "running")?.name : undefined;
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
	await once(haproxy, "spawn");
	return port;
}
