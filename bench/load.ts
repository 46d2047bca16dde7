// Puts load on servers on loopback for a fixed time, with wrk if it is installed, else with autocannon (installed with
// the tests). CPU time and memory include all threads and child processes of the server, as the kernel counts them.

import { execFile, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Load {
	url: string;
	key: string;
	connections: number;
	seconds: number;
	/** The number of requests that a connection sends without waiting for a reply, 1 if absent. */
	pipelined?: number;
	/** The limit of the load, in requests per second. */
	perSecond?: number;
	/** If given, the request is a POST with this body. */
	body?: string;
	/** With a body, this share of the requests are POSTs (1 if absent); the others are GETs. */
	postShare?: number;
	/** Replaces `ID` in the URL with a random id up to this id. */
	maxId?: number;
	/** Replaces `CURSOR` in the URL with one of these cursors, at random. */
	cursors?: string[];
	headers?: Record<string, string>;
	/** If true, replies with a status above 399 are expected, and all others are failures. */
	isRefused?: boolean;
}

export interface Request {
	method: "GET" | "POST";
	/** The path with the query. */
	path: string;
	headers: Record<string, string>;
	body?: string;
}

export interface Result {
	requestsPerSecond: number;
	p50Ms: number;
	p99Ms: number;
	/** CPU time of the server per request. */
	cpuMicros: number;
	/** CPU time of the database server per request, if there is one. */
	databaseMicros?: number;
	/** Failed replies and broken connections. */
	failures: number;
	/** The size of an average reply, head and body. */
	bytes: number;
	/** Memory of the server right after the load. */
	rssMb: number;
}

export const createBody = JSON.stringify({ name: "Rex", categoryId: 1, status: "available" });
let scripts = 0;
export const hasWrk = spawnSync("wrk", ["--version"]).error === undefined;
const hasTaskset = spawnSync("taskset", ["--version"]).error === undefined;

/** The command line that runs a program on one core, or on a list of cores, if the system supports it. */
export function onCore(core: number | string, command: string[]): string[] {
	return hasTaskset ? ["taskset", "-c", String(core), ...command] : command;
}

/** The next request of a load. Its random parts are chosen anew. */
export function nextRequest({ url, key, body, postShare = 1, maxId = 1, cursors = [], headers }: Load): Request {
	const isPost = body !== undefined && (postShare === 1 || Math.random() < postShare);
	const path = url
		.slice(new URL(url).origin.length)
		.replace("ID", () => String(1 + Math.floor(Math.random() * maxId)))
		.replace("CURSOR", () => cursors[Math.floor(Math.random() * cursors.length)] ?? "");
	const authorization = `Bearer ${key}`;
	if (!isPost) return { method: "GET", path, headers: { authorization, ...headers } };
	return {
		method: "POST",
		path: new URL(url).pathname.replace("/ID", ""),
		headers: { authorization, "content-type": "application/json", ...headers },
		body,
	};
}

/** Puts load on all servers at the same time for a second that is not counted. */
export async function warmUp(servers: { load: Load }[]): Promise<void> {
	await Promise.all(servers.map(({ load }) => cannon({ ...load, seconds: 1 })));
}

/** Puts load on all servers at the same time, and measures the cost per request of the servers and the database. */
export async function measure(servers: Loaded[], database?: () => number[]): Promise<Result> {
	await warmUp(servers);
	return measureWarm(servers, database);
}

export interface Loaded {
	pid: number;
	load: Load;
}

/** `measure` without the warm-up, for servers that have already been under load. */
export async function measureWarm(servers: Loaded[], database?: () => number[]): Promise<Result> {
	const used = () => [cpuSeconds(servers.map(({ pid }) => pid)), cpuSeconds(database?.() ?? [])] as const;
	const before = used();
	const results = await Promise.all(servers.map(({ load }) => cannon(load)));
	const after = used();
	const sum = (of: (result: Counted) => number) => results.reduce((total, result) => total + of(result), 0);
	const requests = sum((result) => result.requests);
	const micros = (seconds: number) => (seconds / requests) * 1e6;
	return {
		requestsPerSecond: sum(({ requestsPerSecond }) => requestsPerSecond),
		p50Ms: Math.max(...results.map(({ p50Ms }) => p50Ms)),
		p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
		failures: sum(({ failures }) => failures),
		bytes: sum(({ bytes }) => bytes) / requests,
		cpuMicros: micros(after[0] - before[0]),
		...(database && { databaseMicros: micros(after[1] - before[1]) }),
		rssMb: memoryMb(servers.map(({ pid }) => pid)),
	};
}

/** The counts of a load. `bytes` is the total of all replies. */
type Counted = Omit<Result, "cpuMicros" | "databaseMicros" | "rssMb"> & { requests: number };

function cannon(load: Load): Promise<Counted> {
	return hasWrk ? wrk(load) : autocannon(load);
}

/** A script for wrk. It builds all requests before the load, and only inserts random ids during the load. */
function luaFor({ connections, perSecond, isRefused, maxId, pipelined = 1, ...load }: Load): string {
	const quoted = (text: string) => `[==[${text}]==]`;
	const formatted = ({ method, headers, body }: Request, path: string) => {
		const fields = Object.entries(headers).map(([name, value]) => `[ ${quoted(name)} ] = ${quoted(value)}`);
		return `wrk.format("${method}", ${path}, {${fields.join()}}, ${body ? quoted(body) : "nil"})`;
	};
	const request = (postShare: number, cursors?: string[]) =>
		nextRequest({ ...load, connections, postShare, maxId: 1, ...(cursors && { cursors }) });
	const paths = (load.cursors ?? [""]).map((cursor) => quoted(request(0, [cursor]).path));
	return `
init = function()
  math.randomseed(os.time())
  post = ${load.body ? formatted(request(1), quoted(request(1).path)) : "nil"}
  gets = {${paths.join()}}
  for i, path in ipairs(gets) do gets[i] = ${formatted(request(0), "path")} end
  head, tail = gets[1]:match("^(.-/)1( .*)$")
  several = ${pipelined > 1 ? `gets[1]:rep(${pipelined})` : "nil"}
end
request = function()
  if several then return several end
  if post and math.random() < ${load.postShare ?? 1} then return post end
  return ${maxId ? `head .. math.random(${maxId}) .. tail` : "gets[math.random(#gets)]"}
end
${perSecond ? `delay = function() return ${Math.round((connections / perSecond) * 1000)} end` : ""}
done = function(summary, latency)
  local e = summary.errors
  local refused = ${isRefused ? "summary.requests - e.status" : "e.status"}
  io.stderr:write(string.format('{"requests":%d,"micros":%d,"p50":%d,"p99":%d,"bytes":%d,"failures":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), summary.bytes,
    e.connect + e.read + e.write + e.timeout + refused))
end`;
}

async function wrk(load: Load): Promise<Counted> {
	const script = join(tmpdir(), `animal-store-bench-${process.pid}-${scripts++}.lua`);
	writeFileSync(script, luaFor(load));
	const options = ["-t1", `-c${load.connections}`, `-d${load.seconds}s`, "-s", script, load.url];
	try {
		const [program = "", ...parameters] = onCore(1, ["wrk", ...options]);
		const { stderr } = await run(program, parameters);
		const { micros, p50, p99, ...counted } = JSON.parse(stderr);
		const requestsPerSecond = (counted.requests / micros) * 1e6;
		return { ...counted, requestsPerSecond, p50Ms: p50 / 1000, p99Ms: p99 / 1000 };
	} finally {
		rmSync(script, { force: true });
	}
}

async function autocannon(load: Load): Promise<Counted> {
	const module = new URL("../test/node_modules/autocannon/autocannon.js", import.meta.url);
	const { default: fire } = await import(module.href);
	const { url, connections, seconds, perSecond, isRefused, pipelined: pipelining = 1 } = load;
	const result = await fire({
		url,
		connections,
		pipelining,
		duration: seconds,
		...(perSecond && { overallRate: perSecond }),
		requests: [{ setupRequest: (request: object) => ({ ...request, ...nextRequest(load) }) }],
	});
	const requests = result.requests.total;
	return {
		requests,
		requestsPerSecond: result.requests.average,
		p50Ms: result.latency.p50,
		p99Ms: result.latency.p99,
		bytes: result.throughput.total,
		failures: result.errors + (isRefused ? requests - result["4xx"] : result["4xx"] + result["5xx"]),
	};
}

/** The text of a file below /proc; empty once the process has ended. */
function procFile(path: string): string {
	try {
		return readFileSync(`/proc/${path}`, "utf8");
	} catch {
		return "";
	}
}

/** The processes and all their running descendants, each once. */
function withDescendants(pids: number[]): number[] {
	const children = (pid: number) =>
		(existsSync(`/proc/${pid}`) ? readdirSync(`/proc/${pid}/task`) : [])
			.flatMap((thread) => procFile(`${pid}/task/${thread}/children`).split(" "))
			.filter(Boolean)
			.map(Number);
	return [...new Set(pids.flatMap((pid) => [pid, ...withDescendants(children(pid))]))];
}

/**
 * User and system time of processes with all their threads and of their children, including children that have ended
 * (proc(5), fields 14 to 17; the clock has 100 ticks a second).
 */
export function cpuSeconds(pids: number[]): number {
	return withDescendants(pids).reduce((sum, pid) => sum + secondsOf(`${pid}/stat`), 0);
}

/** User and system time of the main thread of a process. */
export function mainThreadSeconds(pid: number): number {
	return secondsOf(`${pid}/task/${pid}/stat`);
}

function secondsOf(path: string): number {
	const fields = procFile(path).split(") ")[1]?.split(" ") ?? [];
	return fields.slice(11, 15).reduce((ticks, field) => ticks + Number(field), 0) / 100;
}

/** Resident memory of processes and their children. */
export function memoryMb(pids: number[]): number {
	const kilobytes = (pid: number) => Number(/^VmRSS:\s+(\d+)/m.exec(procFile(`${pid}/status`))?.[1] ?? 0);
	return withDescendants(pids).reduce((total, pid) => total + kilobytes(pid), 0) / 1024;
}
