// The servers that a benchmark measures, each on the first core: the service of this or another checkout, the plain
// service, and bare node:http and nginx, which repeat a reply of the service. `stopAll` ends the servers.

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../test/support/postgres-server.ts";
import { cpuSeconds, onCore } from "./load.ts";
import type { Reply } from "./reply.ts";
import { names } from "./results.ts";

/** A temporary folder for stores and logs. */
export const folder = mkdtempSync(join(tmpdir(), "animal-store-bench-"));
const running = new Set<ChildProcess>();
let started = 0;

export interface Server {
	name: string;
	pid: number;
	url: string;
	/** The URL of the operators' port, which only the service has. */
	opsUrl?: string;
	key: string;
	/** The time from the start of the process until it accepts connections. */
	readyMs: number;
	readyCpuMs: number;
	stop(): Promise<void>;
}

export interface Start {
	name: string;
	parameters: string[];
	environment: Record<string, string>;
	key: string;
	/** The core, or several cores such as "0,1"; 0 if absent. */
	core?: number | string;
}

/** Starts a server that runs on Node. One line of the server's output must be JSON with the server's URL. */
export async function startNode({ name, parameters, environment, key, core = 0 }: Start): Promise<Server> {
	const log = join(folder, `log-${started++}`);
	const startedAtMs = performance.now();
	const child = run(onCore(core, [process.execPath, ...parameters]), environment, log);
	for (;;) {
		const line = /^.*"url":.*\n/m.exec(readFileSync(log, "utf8"))?.[0];
		if (line !== undefined) {
			const readyMs = performance.now() - startedAtMs;
			const readyCpuMs = cpuSeconds([child.pid as number]) * 1000;
			return { ...serverOf(child, name), key, ...JSON.parse(line), readyMs, readyCpuMs };
		}
		await wait(child, name, startedAtMs);
	}
}

function run([program = "", ...parameters]: string[], environment: Record<string, string>, log: string): ChildProcess {
	const output = openSync(log, "w");
	const env = { ...process.env, NODE_ENV: "production", ...environment };
	const child = spawn(program, parameters, { env, stdio: ["ignore", output, "inherit"] });
	closeSync(output);
	running.add(child);
	child.once("exit", () => running.delete(child));
	return child;
}

async function wait(child: ChildProcess, name: string, startedAtMs: number): Promise<void> {
	if (child.exitCode !== null) throw new Error(`${name} ended before it listened`);
	if (performance.now() - startedAtMs > 60_000) throw new Error(`${name} did not listen within a minute`);
	await sleep(5);
}

function serverOf(child: ChildProcess, name: string) {
	const stop = async () => {
		child.kill("SIGTERM");
		if (running.has(child)) await once(child, "exit");
	};
	return { name, pid: child.pid as number, stop };
}

/** Ends all servers and removes their files. */
export function stopAll(): void {
	for (const child of running) child.kill("SIGKILL");
	rmSync(folder, { recursive: true, force: true });
}

/** Builds the service of a checkout as its package does, and starts it as `npm start`, the unit and the image do. */
export function startService(databaseUrl: string, key: string, checkout = "."): Promise<Server> {
	const parameters = ["--max-semi-space-size=8", builtMain(checkout), "serve"];
	const environment = { DATABASE_URL: databaseUrl, PORT: "0", OPS_PORT: "0", API_KEY: key };
	return startNode({ name: checkout === "." ? names.ours : checkout, parameters, environment, key });
}

const built = new Set<string>();

function builtMain(checkout: string): string {
	if (!built.has(checkout)) execFileSync(process.execPath, [join(checkout, "package/build.ts")], { stdio: "inherit" });
	built.add(checkout);
	return join(checkout, "lib/src/main.js");
}

export function startPlain(file: string, key: string): Promise<Server> {
	return startNode({ name: names.plain, parameters: ["bench/plain.ts", file], environment: { API_KEY: key }, key });
}

/** Starts bare node:http with these replies by method. */
export function startBare(replies: Record<string, Reply>): Promise<Server> {
	const file = join(folder, `replies-${started}.json`);
	writeFileSync(file, JSON.stringify(replies));
	return startNode({ name: names.bare, parameters: ["bench/bare.ts", file], environment: {}, key: "" });
}

/** The program nginx, if it is installed. Debian installs it in a folder that is not in every user's PATH. */
const nginx = ["nginx", "/usr/sbin/nginx"].find((program) => !spawnSync(program, ["-v"]).error);
export const nginxVersion = nginx && /nginx\/(\S+)/.exec(String(spawnSync(nginx, ["-v"]).stderr))?.[1];

/** Starts one process of nginx, which sends this reply to every request. */
export async function startNginx(reply: Reply): Promise<Server> {
	const home = join(folder, `nginx-${started++}`);
	mkdirSync(home);
	const port = await freePort();
	writeFileSync(join(home, "reply"), reply.body);
	writeFileSync(join(home, "nginx.conf"), nginxConfiguration(reply, home, port));
	const startedAtMs = performance.now();
	const command = [nginx ?? "nginx", "-e", "stderr", "-p", home, "-c", "nginx.conf"];
	const child = run(onCore(0, command), {}, join(home, "log"));
	while (!(await accepts(port))) await wait(child, names.nginx, startedAtMs);
	const readyMs = performance.now() - startedAtMs;
	const readyCpuMs = cpuSeconds([child.pid as number]) * 1000;
	return { ...serverOf(child, names.nginx), url: `http://127.0.0.1:${port}`, key: "", readyMs, readyCpuMs };
}

/** The configuration of nginx. A body with status 200 is in a file that nginx keeps open, any other in this text. */
function nginxConfiguration({ status, headers, body }: Reply, home: string, port: number): string {
	const quoted = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
	const { "content-type": type = "text/plain", "content-length": _, ...others } = headers;
	const fields = Object.entries(others).map(([name, value]) => `add_header ${name} ${quoted(value)} always;`);
	const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((what) => `${what}_temp_path ${what};`);
	const answer = status === 200 ? `alias ${home}/reply;` : `return ${status} ${body && quoted(body)};`;
	return `daemon off; master_process off; pid nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http {
	access_log off; server_tokens off; etag off; max_ranges 0; sendfile on; tcp_nopush on;
	default_type ${quoted(type)}; keepalive_requests 1000000000;
	open_file_cache max=1000 inactive=1h; open_file_cache_valid 1h;
	${temporary.join(" ")}
	server {
		listen 127.0.0.1:${port};
		add_header Last-Modified '';
		${fields.join("\n\t\t")}
		location ~ ^ { ${answer} }
	}
}
`;
}

function accepts(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, "127.0.0.1");
		socket.once("error", () => resolve(false));
		socket.once("connect", () => {
			socket.destroy();
			resolve(true);
		});
	});
}
