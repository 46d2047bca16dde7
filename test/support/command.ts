// Runs a command of `animal-store` in the test's process, which takes a tenth of the time of a new process. Tests of
// starts, signals, standard input, terminals and limits run the program (program.ts). So do tests whose process has the
// store open: when a command closes the store's file, the process loses its locks on that file.

import assert from "node:assert/strict";
import { Console } from "node:console";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { PassThrough, Writable } from "node:stream";
import { runCommand } from "../../src/cli/program.ts";
import { assertRefusal, type Finished, type Start } from "./program.ts";

export type Call = Pick<Start, "environment" | "folder"> & {
	/** What a person types; standard input and error are a terminal then. */
	typed?: string;
};

// A long command lowers the priority of its process. Here it would be that of the test, which could not raise it again,
// and would get a tenth of a busy core.
Object.assign(os, { setPriority() {} });
syncBuiltinESMExports();

let last: Promise<unknown> = Promise.resolve();

/** Runs a command to its end, after earlier ones: commands share the environment, the folder and the output. */
export function call(parameters: string[], options: Call = {}): Promise<Finished> {
	const running = last.then(() => runAlone(parameters, options));
	last = running.catch(() => {});
	return running;
}

async function runAlone(parameters: string[], { environment = {}, folder, typed }: Call): Promise<Finished> {
	const [stdout, stderr] = [new Output(), new Output()];
	const isTTY = typed !== undefined;
	const stdin = Object.assign(new PassThrough(), { isTTY });
	if (typed) stdin.write(typed);
	else stdin.end(); // As Ctrl-D does.
	const before = { env: process.env, exitCode: process.exitCode, console: globalThis.console };
	const streams = Object.getOwnPropertyDescriptors(process);
	const cwd = process.cwd();
	const given = Object.entries({ PATH: process.env["PATH"], ...environment });
	process.env = Object.fromEntries(given.filter(([, value]) => value !== undefined));
	process.exitCode = undefined;
	for (const [name, value] of Object.entries({ stdin, stdout, stderr: Object.assign(stderr, { isTTY }) }))
		Object.defineProperty(process, name, { value, configurable: true });
	globalThis.console = new Console({ stdout, stderr });
	if (folder !== undefined) process.chdir(folder);
	try {
		await runCommand(parameters);
		assert.ok(!typed || stdin.isPaused(), "a command that still reads a terminal does not end");
		return { code: Number(process.exitCode ?? 0), signal: null, stdout: stdout.text(), stderr: stderr.text() };
	} finally {
		process.chdir(cwd);
		process.env = before.env;
		process.exitCode = before.exitCode;
		globalThis.console = before.console;
		for (const name of ["stdin", "stdout", "stderr"] as const) Object.defineProperty(process, name, streams[name]);
	}
}

/** An output that is no terminal. */
class Output extends Writable {
	readonly #pieces: Buffer[] = [];

	override _write(piece: Buffer, _encoding: string, done: () => void): void {
		this.#pieces.push(piece);
		done();
	}

	text(): string {
		return Buffer.concat(this.#pieces).toString();
	}
}

/** Runs a command that must succeed. @returns its standard output */
export async function callWell(parameters: string[], options: Call = {}): Promise<string> {
	const { code, stdout, stderr } = await call(parameters, options);
	assert.equal(code, 0, stderr);
	return stdout;
}

/** Asserts that each command ends with 1, and prints only an explanation that matches `said`. */
export async function assertRefused(rows: readonly [parameters: string[], said: RegExp][], options: Call = {}) {
	for (const [parameters, said] of rows) assertRefusal(await call(parameters, options), parameters, said);
}
