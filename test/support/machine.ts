// A folder with its own Node and npm, in which a test installs and starts the service as users do.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkout } from "./checkout.ts";
import { isServing } from "./listen.ts";
import { type CleanUps, until, within } from "./until.ts";

const limitMs = 240_000;

export interface Tools {
	node: string;
	/** The path of npm's `npm-cli.js`. */
	npm: string;
}

/** The oldest supported Node with the npm that came with it. */
export const oldTools: Tools = {
	node: installed(`node-20-${process.platform}-${process.arch}/bin/node`),
	npm: installed("npm-10/bin/npm-cli.js"),
};

function installed(path: string): string {
	return join(checkout, "test/node_modules", path);
}

/** The npm package that contains Node for this machine. */
export const nodePackage = `node-linux-${process.arch}`;

/** Installs an npm package in a new folder. */
export async function install(folder: string, name: string, wanted: string) {
	const prefix = join(folder, `${name}-${wanted}`);
	const options = ["--no-audit", "--no-fund", "--silent"];
	await promisify(execFile)("npm", ["install", "--prefix", prefix, ...options, `${name}@${wanted}`]);
	const path = join(prefix, "node_modules", name);
	const { default: manifest } = await import(join(path, "package.json"), { with: { type: "json" } });
	return { path, version: manifest.version as string };
}

type Stop = (signal: NodeJS.Signals, whom: "npm" | "group") => Promise<void>;

export type Machine = ReturnType<typeof newMachine>;

/** @param home an empty folder for node and npm, which the caller removes @param folder where commands run */
export function newMachine(context: CleanUps, home: string, folder: string, { node, npm }: Tools, more = {}) {
	const bin = join(home, "bin");
	mkdirSync(bin);
	symlinkSync(node, join(bin, "node"));
	for (const [name, cli] of Object.entries({ npm, npx: npm.replace("npm-cli", "npx-cli") })) {
		writeFileSync(join(bin, name), `#!/bin/sh\nexec "${join(bin, "node")}" "${cli}" "$@"\n`);
		chmodSync(join(bin, name), 0o755);
	}
	// Keeps this machine's variables for the registry, proxy and certificates; removes other variables of npm and Node.
	const own = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)|^NODE_(?!EXTRA)|^INIT_CWD$/.test(name));
	const env = {
		...Object.fromEntries(own),
		PATH: `${bin}:/usr/bin:/bin`,
		npm_config_prefer_offline: "true",
		PORT: "0",
		OPS_PORT: "0",
		...more,
	};

	function begin([name = "", ...parameters]: string[]): { child: ChildProcess; output: () => string } {
		const stdio = ["ignore", "pipe", "pipe"] as const;
		const child = spawn(join(bin, name), parameters, { cwd: folder, env, detached: true, stdio: [...stdio] });
		context.after(() => child.kill("SIGKILL"));
		let output = "";
		for (const stream of [child.stdout, child.stderr])
			stream?.setEncoding("utf8").on("data", (text) => {
				output += text;
			});
		return { child, output: () => output };
	}

	return {
		/** Runs `npm` or `npx` to its end. @returns its output */
		async run(...command: string[]): Promise<{ code: number; lines: string[] }> {
			const { child, output } = begin(command);
			const [code] = await within(`${command.join(" ")} to end`, once(child, "close"), limitMs);
			return { code, lines: output().split("\n").slice(0, -1) };
		},
		/** Starts the service on free ports, and waits until it is ready. `stop` signals npm or all processes. */
		async start(...command: string[]) {
			const { child, output } = begin(command);
			const isUp = () => {
				if (child.exitCode !== null) throw new Error(`${command.join(" ")} ended: ${output()}`);
				return /The reply now: 200 \[\]|The animal store listens/.test(output());
			};
			await until("the first answer", isUp).catch((error) => {
				throw new Error(`${error.message}\n${output()}`);
			});
			const [, url = ""] = /"url":"([^"]+)"/.exec(output()) ?? [];
			const stop: Stop = async (signal, whom) => {
				const pid = child.pid as number;
				process.kill(whom === "npm" ? pid : -pid, signal);
				const isGone = async () => !(await isServing(`${url}/livez`));
				await until(`the service to end after ${signal} to ${whom}`, isGone, { withinMs: 20_000, everyMs: 100 });
			};
			return { url, output, stop };
		},
	};
}
