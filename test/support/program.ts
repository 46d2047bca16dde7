// Runs the real program in a separate process, as a person or a supervisor does.

import assert from "node:assert/strict";
import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import * as net from "node:net";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { ConfigError } from "../../src/config.ts";
import { defaultScopes } from "../../src/contract/operations.ts";
import { createKey } from "../../src/keys/issue.ts";
import { checkout } from "./checkout.ts";
import { withStore } from "./store-reads.ts";
import { type CleanUps, within } from "./until.ts";

/** The folder whose program runs: this checkout, or the package if a proof runs from it. */
let root = checkout;

/** From here on, the program of this folder is run. */
export function runFrom(tree: string): void {
	root = tree;
}

/**
 * A bound socket for several programs, passed as systemd passes it: each of them accepts its connections. This process
 * does not listen, and so accepts none.
 */
export function passedSocket(context: CleanUps): Pick<Start, "socket" | "under"> & { port: number } {
	const { _createServerHandle: bind } = net as unknown as {
		_createServerHandle(address: string, port: number, family: 4): BoundHandle;
	};
	const handle = bind("127.0.0.1", 0, 4);
	context.after(() => handle.close());
	const address = { port: 0 };
	handle.getsockname(address);
	const under = ["bash", "-c", 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"', "-"];
	return { socket: handle.fd, under, port: address.port };
}

interface BoundHandle {
	fd: number;
	getsockname(address: object): void;
	close(): void;
}

export const programOf = (tree = root): string => join(tree, "bin", "animal-store.js");

export interface Finished {
	code: number | null;
	signal: NodeJS.Signals | null;
	stdout: string;
	stderr: string;
}

export interface Running {
	process: ChildProcess;
	pid: number;
	/** The URL that the service logs when it listens. */
	url: string;
	opsUrl: string;
	/** Output so far. */
	output: { stdout: string; stderr: string };
	finished: Promise<Finished>;
	/** Sends a signal, SIGTERM by default, and waits for the end. */
	stop(signal?: NodeJS.Signals): Promise<Finished>;
}

type Environment = Record<string, string | undefined>;

export interface Start {
	environment?: Environment;
	/** A command that runs the program, such as `prlimit --nofile=100`. */
	under?: string[];
	nodeOptions?: string[];
	/** Standard input; empty by default. */
	input?: string | Buffer;
	folder?: string;
	/** The folder of another version. */
	tree?: string;
	/** A bound socket, which the program gets as descriptor 3. */
	socket?: number;
	/** The time after which a command is killed; a service runs until its test ends. */
	limitMs?: number;
}

/** `under` for a program whose output is a terminal. The program also needs TERM, and parameters without spaces. */
export const onTerminal = ["bash", "-c", 'exec script -qec "$*" /dev/null', "-"];

/** Running processes; they are killed when this process exits. */
const children = new Set<ChildProcess>();
process.once("exit", () => {
	for (const child of children) child.kill("SIGKILL");
});

/** Variables that programs inherit: the PATH, the cache of compiled code, and Stryker's active mutant. */
const inherited = () =>
	Object.fromEntries(
		["PATH", "NODE_COMPILE_CACHE", "__STRYKER_ACTIVE_MUTANT__"].map((name) => [name, process.env[name]]),
	);

const commandLimitMs = 90_000;
/** The longest delay that a timer of Node supports. */
const serviceLimitMs = 2 ** 31 - 1;

/** Starts a command. A command that does not end in time is killed, and `finished` fails with its output. */
export function begin(parameters: string[], options: Start = {}) {
	const { environment = {}, under = [], nodeOptions = [], input, folder, tree } = options;
	const { limitMs = commandLimitMs, socket } = options;
	const [program = "", ...rest] = [...under, process.execPath, ...nodeOptions, programOf(tree), ...parameters];
	const child = spawn(program, rest, {
		cwd: folder,
		env: { ...inherited(), ...environment },
		stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe", ...(socket === undefined ? [] : [socket])],
	}) as ChildProcessByStdio<Writable | null, Readable, Readable>;
	children.add(child);
	child.once("close", () => children.delete(child));
	// A command may end before it has read all input.
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
		// Child processes of the command may keep the output open.
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

/** Runs a command that must succeed. @returns its standard output */
export async function runWell(parameters: string[], options: Start = {}): Promise<string> {
	const { code, stdout, stderr } = await runProgram(parameters, options);
	assert.equal(code, 0, stderr);
	return stdout;
}

/** Creates an API key for the store at a URL: in this process, unless programs run from another folder. */
export async function keyFor(databaseUrl: string): Promise<string> {
	const name = "proof";
	if (root === checkout)
		return withStore(databaseUrl, async ({ keys: rows }) => {
			const issuer = { rows, now: Date.now, random: randomBytes };
			return (await createKey(issuer, { name, scopes: [...defaultScopes] })).key;
		});
	return (await runWell(["keys", "create", "--name", name], { environment: { DATABASE_URL: databaseUrl } })).trim();
}

/** Asserts that a command has exited with 1, and printed only an explanation that matches `said`. */
export function assertRefusal({ code, stdout, stderr }: Finished, parameters: string[], said: RegExp): void {
	assert.deepEqual([code, stdout], [1, ""], parameters.join(" "));
	assert.match(stderr, said);
	assert.doesNotMatch(stderr, /\n\s+at /, "no stack");
}

/** Asserts that each command exits with 1, and prints only an explanation that matches `said`. */
export async function assertProgramRefused(rows: readonly [parameters: string[], said: RegExp][], options: Start = {}) {
	for (const [parameters, said] of rows) assertRefusal(await runProgram(parameters, options), parameters, said);
}

/** Asserts that the service refuses to start, with a sentence for each pattern in `said`. @returns standard error */
export async function startRefused(environment: Environment, said: RegExp | RegExp[], options: Start = {}) {
	const free = { PORT: "0", OPS_PORT: "0", ...environment };
	const { code, stdout, stderr } = await runProgram(["serve"], { ...options, environment: free });
	assert.equal(code, 1, stderr);
	const sentences = [said].flat();
	for (const sentence of sentences) assert.match(stderr, sentence);
	assert.equal(stderr.trim().split("\n").length, sentences.length, stderr);
	assert.doesNotMatch(stdout, /"msg":"(listening|stopping|stopped)"/);
	return stderr;
}

/** The sentences of the ConfigError that `read` throws; none if it succeeds. */
export function refusals(read: () => unknown): string[] {
	try {
		read();
		return [];
	} catch (error) {
		assert.ok(error instanceof ConfigError);
		return error.message.split("\n");
	}
}

/** Starts the service on free ports and waits until it listens. It is killed at the end of the test. */
export async function startProgram(
	context: CleanUps,
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
		return within(`the end after ${signal}`, finished);
	};
	return { process: child, pid: child.pid as number, url, opsUrl, output, finished, stop };
}
