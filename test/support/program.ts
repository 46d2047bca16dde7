// The real program in a process of its own, as a person or a supervisor starts it.

import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { within } from "./until.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Finished {
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: string;
	stderr: string;
}

export interface Running {
	process: ChildProcess;
	pid: number;
	/** What the log said when the service was ready. */
	url: string;
	opsUrl: string;
	/** Output so far. */
	output: { stdout: string; stderr: string };
	finished: Promise<Finished>;
	/** Sends a signal, SIGTERM unless another is named, and waits for the end. */
	stop(signal?: NodeJS.Signals): Promise<Finished>;
}

type Environment = Record<string, string | undefined>;

export interface Start {
	environment?: Environment;
	/** A command that runs the rest of its arguments, such as `prlimit --nofile=100`. */
	under?: string[];
	/** For Node itself. */
	nodeOptions?: string[];
	/** Its standard input; nothing if absent. */
	input?: string | Buffer;
	/** The current folder. */
	folder?: string;
	/** Where the program's tree is, if it is not this one: another version. */
	tree?: string;
	/** A listening socket that it gets as descriptor 3. */
	socket?: number;
	/** When a command that should have ended is killed; services run until their test ends. */
	limitMs?: number;
}

/** What still runs: it ends with the process of the tests at the latest, also when a failed test forgot it. */
const children = new Set<ChildProcess>();
process.once("exit", () => {
	for (const child of children) child.kill("SIGKILL");
});

const commandLimitMs = 90_000;
/** The largest that a timer takes. */
const serviceLimitMs = 2 ** 31 - 1;

/** Starts a command. One that does not end by itself is killed, and `finished` fails with what it printed. */
export function begin(parameters: string[], options: Start = {}) {
	const { environment = {}, under = [], nodeOptions = [], input, folder, tree = root } = options;
	const { limitMs = commandLimitMs, socket } = options;
	const [program = "", ...rest] = [
		...under,
		process.execPath,
		...nodeOptions,
		join(tree, "bin", "animal-store.js"),
		...parameters,
	];
	const child = spawn(program, rest, {
		cwd: folder,
		env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"], ...environment },
		stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe", ...(socket === undefined ? [] : [socket])],
	}) as ChildProcessByStdio<Writable | null, Readable, Readable>;
	children.add(child);
	child.once("close", () => children.delete(child));
	// A command may end without reading all of it.
	child.stdin?.on("error", () => {}).end(input);
	const output = { stdout: "", stderr: "" };
	child.stdout.setEncoding("utf8").on("data", (text) => {
		output.stdout += text;
	});
	child.stderr.setEncoding("utf8").on("data", (text) => {
		output.stderr += text;
	});
	let isLate = false;
	const killer = setTimeout(() => {
		isLate = true;
		child.kill("SIGKILL");
		// What it started may hold its output open.
		child.stdout.destroy();
		child.stderr.destroy();
	}, limitMs).unref();
	const finished = once(child, "close").then(([code, signal]): Finished => {
		clearTimeout(killer);
		if (!isLate) return { code, signal, ...output };
		throw new Error(`${parameters.join(" ")} did not end within ${limitMs} ms: ${output.stdout}${output.stderr}`);
	});
	finished.catch(() => {});
	return { child, output, finished };
}

/** Runs a command to its end. */
export function runProgram(parameters: string[], options: Start = {}): Promise<Finished> {
	return begin(parameters, options).finished;
}

/** Starts the service on free ports and waits until it listens; it is killed with the test if it still runs. */
export async function startProgram(
	context: { after(cleanUp: () => void): void },
	environment: Environment,
	{ parameters = ["serve"], ...options }: Start & { parameters?: string[] } = {},
): Promise<Running> {
	const free = { PORT: "0", OPS_PORT: "0", ...environment };
	const { child, output, finished } = begin(parameters, { limitMs: serviceLimitMs, ...options, environment: free });
	context.after(() => child.kill("SIGKILL"));
	const listening = new Promise<{ url: string; opsUrl: string }>((resolve) => {
		child.stdout.on("data", () => {
			const line = output.stdout.split("\n").find((text) => text.includes('"msg":"listening"'));
			if (line) resolve(JSON.parse(line));
		});
	});
	const ended = finished.then(({ code, stderr }) => Promise.reject(new Error(`ended with ${code}: ${stderr}`)));
	ended.catch(() => {});
	const ready = within("the service to listen", Promise.race([listening, ended]));
	const { url, opsUrl } = await ready.catch((error) => {
		throw new Error(`${error.message}\n${output.stdout}${output.stderr}`);
	});
	const stop = (signal: NodeJS.Signals = "SIGTERM") => {
		child.kill(signal);
		return finished;
	};
	return { process: child, pid: child.pid as number, url, opsUrl, output, finished, stop };
}
