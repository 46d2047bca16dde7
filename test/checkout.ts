// A new checkout on a machine with a given Node and npm: the first line of the README, as a newcomer runs it.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { until, within } from "./until.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const limitMs = 240_000;

export interface Tools {
	/** The program `node`. */
	node: string;
	/** npm's `npm-cli.js`. */
	npm: string;
}

type Context = { after(cleanUp: () => unknown): void };

export interface Checkout {
	/** Runs npm to its end. @returns what it printed */
	npm(...parameters: string[]): Promise<{ code: number; lines: string[] }>;
	/** `npm start` on free ports, until the service is ready. `stop` sends a signal to npm alone, or to all. */
	start(): Promise<{ url: string; stop(signal: NodeJS.Signals, whom: "npm" | "group"): Promise<void> }>;
}

/** @param folder an empty folder, which the caller removes */
export function newCheckout(context: Context, folder: string, { node, npm }: Tools): Checkout {
	const [bin, app] = [join(folder, "bin"), join(folder, "app")];
	mkdirSync(bin);
	symlinkSync(node, join(bin, "node"));
	for (const [name, cli] of Object.entries({ npm, npx: npm.replace("npm-cli", "npx-cli") })) {
		writeFileSync(join(bin, name), `#!/bin/sh\nexec "${join(bin, "node")}" "${cli}" "$@"\n`);
		chmodSync(join(bin, name), 0o755);
	}
	const left = new Set(["node_modules", "dist", "data", ".git", "screenshots"]);
	cpSync(root, app, { recursive: true, filter: (path) => relative(root, path) === "" || !left.has(basename(path)) });
	const env = {
		PATH: `${bin}:/usr/bin:/bin`,
		HOME: folder,
		// What this machine has downloaded already; the rest comes from the registry.
		npm_config_cache: process.env["npm_config_cache"] ?? join(homedir(), ".npm"),
		npm_config_prefer_offline: "true",
		PORT: "0",
		OPS_PORT: "0",
	};

	function begin(parameters: string[]): { child: ChildProcess; output: () => string } {
		const child = spawn(join(bin, "npm"), parameters, {
			cwd: app,
			env,
			detached: true,
			stdio: ["ignore", "pipe", "pipe"],
		});
		context.after(() => child.kill("SIGKILL"));
		let output = "";
		for (const stream of [child.stdout, child.stderr])
			stream.setEncoding("utf8").on("data", (text) => {
				output += text;
			});
		return { child, output: () => output };
	}

	return {
		async npm(...parameters) {
			const { child, output } = begin(parameters);
			const [code] = await within(`npm ${parameters[0]} to end`, once(child, "close"), limitMs);
			return { code, lines: output().split("\n").slice(0, -1) };
		},
		async start() {
			const { child, output } = begin(["start"]);
			const isUp = () => {
				if (child.exitCode !== null) throw new Error(`npm start ended: ${output()}`);
				return /The reply now: 200 \[\]|The animal store listens/.test(output());
			};
			await until("the first answer of npm start", isUp).catch((error) => {
				throw new Error(`${error.message}\n${output()}`);
			});
			const [, url = ""] = /"url":"([^"]+)"/.exec(output()) ?? [];
			async function stop(signal: NodeJS.Signals, whom: "npm" | "group"): Promise<void> {
				process.kill(whom === "npm" ? (child.pid as number) : -(child.pid as number), signal);
				const isGone = () =>
					fetch(`${url}/livez`).then(
						() => false,
						() => true,
					);
				await until(`the service to end after ${signal} to ${whom}`, isGone, { withinMs: 20_000, everyMs: 100 });
			}
			return { url, stop };
		},
	};
}
