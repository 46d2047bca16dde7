// A synchronous cluster of PostgreSQL under Patroni, with etcd, behind HAProxy, all from packages of Debian.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bin } from "../proofs/pg-backup.ts";
import { configurationOf } from "./document-blocks.ts";
import { asServer, freePort } from "./postgres-server.ts";
import type { Trial } from "./proof.ts";
import { until } from "./until.ts";

const password = "animals";

export interface Cluster {
	/** `host:port` of HAProxy, which leads to the primary. */
	balancer: string;
	/** Waits until there is a primary with a synchronous standby. */
	synchronous(): Promise<Member>;
	/** Sends SIGKILL to Patroni and all processes of its server, like the loss of a machine. */
	kill(member: Member): Promise<void>;
	restart(member: Member): void;
}

export interface Member {
	name: string;
	postgresPort: number;
	restPort: number;
	data: string;
	start(): ChildProcess;
	patroni: ChildProcess;
}

export async function startCluster(trial: Trial): Promise<Cluster> {
	chmodSync(trial.folder, 0o755);
	const owner = asServer();
	const etcdPort = await startEtcd(trial);
	const members: Member[] = [];
	for (const name of ["db1", "db2"]) {
		members.push(await createMember(name, { trial, etcdPort, owner }));
		// The first member creates the cluster, the other one copies it.
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
	await until("etcd", async () => (await fetch(`${client}/health`).catch(() => undefined))?.ok);
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
			// The shortest time that Patroni allows: after 20 s without a heartbeat of the primary the standby is promoted.
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
	for (const pid of serverProcesses(data)) {
		try {
			process.kill(pid, "SIGKILL");
		} catch {
			// It has ended meanwhile.
		}
	}
}

function serverProcesses(data: string): number[] {
	try {
		const [main = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
		const children = execFileSync("ps", ["-o", "pid=", "--ppid", main], { encoding: "utf8" });
		return [Number(main), ...children.trim().split(/\s+/).map(Number)];
	} catch {
		return []; // It is not running.
	}
}

interface Known {
	name: string;
	role: string;
	state: string;
}

/** The state of all members, from the first one that replies. */
async function readMembers(members: Member[]): Promise<Known[]> {
	for (const { restPort } of members) {
		const reply = await fetch(`http://127.0.0.1:${restPort}/cluster`).catch(() => undefined);
		if (reply?.ok) return ((await reply.json()) as { members: Known[] }).members;
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

/** With the configuration of docs/postgresql.md. */
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
