// Loads servers on loopback for a fixed time, with wrk if it is installed, else with autocannon (installed with the
// tests). CPU time is that of the server with all its threads, as the kernel counts it.

import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface Load {
	url: string;
	key: string;
	connections: number;
	seconds: number;
	/** Limits the load to this rate. */
	perSecond?: number;
	/** If given, the request is a POST with this body. */
	body?: string;
	/** Replaces `ID` in the URL with a random id up to this one. */
	maxId?: number;
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
}

let scripts = 0;
export const hasWrk = spawnSync("wrk", ["--version"]).error === undefined;
const hasTaskset = spawnSync("taskset", ["--version"]).error === undefined;

/** The command line that runs a program on one core, if the system supports it. */
export function onCore(core: number, command: string[]): string[] {
	return hasTaskset ? ["taskset", "-c", String(core), ...command] : command;
}

/** Loads all servers at once and measures the cost per request, for them and for the database's processes. */
export async function measure(servers: { pid: number; load: Load }[], database?: () => number[]): Promise<Result> {
	const cannon = hasWrk ? wrk : autocannon;
	const pids = servers.map(({ pid }) => pid);
	const fire = (seconds?: number) =>
		Promise.all(servers.map(({ load }) => cannon({ ...load, ...(seconds && { seconds }) })));
	await fire(1);
	const used = () => [cpuSeconds(pids), cpuSeconds(database?.() ?? [])] as const;
	const before = used();
	const results = await fire();
	const after = used();
	const sum = (of: (result: Counted) => number) => results.reduce((total, result) => total + of(result), 0);
	const micros = (seconds: number) => (seconds / sum(({ requests }) => requests)) * 1e6;
	return {
		requestsPerSecond: sum(({ requestsPerSecond }) => requestsPerSecond),
		p50Ms: Math.max(...results.map(({ p50Ms }) => p50Ms)),
		p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
		failures: sum(({ failures }) => failures),
		cpuMicros: micros(after[0] - before[0]),
		...(database && { databaseMicros: micros(after[1] - before[1]) }),
	};
}

type Counted = Omit<Result, "cpuMicros" | "databaseMicros"> & { requests: number };

async function wrk({ url, key, connections, seconds, body, maxId, perSecond }: Load): Promise<Counted> {
	const script = join(tmpdir(), `animal-store-bench-${process.pid}-${scripts++}.lua`);
	const { pathname, search } = new URL(url);
	const target = `("${pathname + search}"):gsub("ID", math.random(${maxId}))`;
	const request = `request = function() local path = ${target}; return wrk.format(nil, path) end`;
	writeFileSync(
		script,
		`wrk.method = "${body ? "POST" : "GET"}"
wrk.body = ${body ? `[==[${body}]==]` : "nil"}
wrk.headers["Authorization"] = "Bearer ${key}"
${body ? 'wrk.headers["Content-Type"] = "application/json"' : ""}
${maxId ? request : ""}
${perSecond ? `delay = function() return ${Math.round((connections / perSecond) * 1000)} end` : ""}
done = function(summary, latency)
  local e = summary.errors
  local failures = e.connect + e.read + e.write + e.status + e.timeout
  io.stderr:write(string.format('{"requests":%d,"micros":%d,"p50":%d,"p99":%d,"failures":%d}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), failures))
end`,
	);
	try {
		const [program = "", ...parameters] = onCore(1, [
			"wrk",
			"-t1",
			`-c${connections}`,
			`-d${seconds}s`,
			"-s",
			script,
			url,
		]);
		const { stderr } = await run(program, parameters);
		const { requests, micros, p50, p99, failures } = JSON.parse(stderr);
		return { requests, requestsPerSecond: (requests / micros) * 1e6, p50Ms: p50 / 1000, p99Ms: p99 / 1000, failures };
	} finally {
		rmSync(script, { force: true });
	}
}

async function autocannon({ url, key, connections, seconds, body, maxId, perSecond }: Load): Promise<Counted> {
	const module = new URL("../test/node_modules/autocannon/autocannon.js", import.meta.url);
	const { default: cannon } = await import(module.href);
	const { pathname, search } = new URL(url);
	const anyId = (request: object) => ({
		...request,
		path: (pathname + search).replace("ID", String(1 + Math.floor(Math.random() * (maxId ?? 1)))),
	});
	const result = await cannon({
		url,
		connections,
		duration: seconds,
		headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
		...(body && { method: "POST", body }),
		...(perSecond && { overallRate: perSecond }),
		...(maxId && { requests: [{ setupRequest: anyId }] }),
	});
	return {
		requests: result.requests.total,
		requestsPerSecond: result.requests.average,
		p50Ms: result.latency.p50,
		p99Ms: result.latency.p99,
		failures: result.non2xx + result.errors,
	};
}

/**
 * User and system time of processes with all their threads and of their children that have ended (proc(5), fields 14 to
 * 17; the clock has 100 ticks a second).
 */
function cpuSeconds(pids: number[]): number {
	let ticks = 0;
	for (const pid of pids) {
		if (!existsSync(`/proc/${pid}`)) continue; // Its parent's figures include it now.
		const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
		for (const field of fields.slice(11, 15)) ticks += Number(field);
	}
	return ticks / 100;
}
