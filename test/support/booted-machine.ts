// A machine that systemd boots in a folder, with its own processes, mounts, control groups and network.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Trial } from "./proof.ts";
import { succeeds, until } from "./until.ts";

/** Runs a Bash script. @returns standard output @throws if a command fails */
export type Run = (script: string) => string;

export interface Machine {
	/** Runs a script in the machine, with only the machine's own network. */
	run: Run;
	/** Runs a script in the machine with the host's network, for downloads. */
	runOnline: Run;
	/** The host's process id of the machine's systemd. */
	pid: number;
}

const environment = {
	PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	HOME: "/root",
	LC_ALL: "C.UTF-8",
	DEBIAN_FRONTEND: "noninteractive",
	NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt",
};
const namespaces = ["--mount", "--pid", "--uts", "--ipc", "--cgroup"];

/**
 * @param root the folder that becomes the machine's root
 * @param mounts commands that run before the boot and mount what only the machine sees
 */
export async function bootMachine({ after, folder }: Trial, root: string, mounts = ""): Promise<Machine> {
	const group = newControlGroup();
	const script = join(folder, "boot");
	writeFileSync(script, `${mounts}\n${boot(root)}`);
	const start = `echo $$ > ${group}/cgroup.procs; exec unshare ${namespaces.join(" ")} --net --fork --kill-child bash -eu`;
	const holder = spawn("bash", ["-euc", `${start} ${script}`], { stdio: ["ignore", "inherit", "inherit"] });
	const ended = once(holder, "exit");
	after(async () => {
		holder.kill("SIGKILL");
		await ended;
		await until("the end of the machine", () => readFileSync(`${group}/cgroup.events`, "utf8").includes("populated 0"));
		execFileSync("find", [group, "-depth", "-type", "d", "-exec", "rmdir", "{}", ";"]);
	});
	const systemd = () => Number(execFileSync("pgrep", ["-P", String(holder.pid), "systemd"], { encoding: "utf8" }));
	const inside = (flags: string[], script: string) => {
		const shell = ["bash", "-euo", "pipefail", "-c", `cd /root; ${script}`];
		return execFileSync("nsenter", ["--target", String(systemd()), ...namespaces, ...flags, ...shell], {
			env: environment,
			encoding: "utf8",
			// The journal of nodes under load is longer than the default of 1 MiB.
			maxBuffer: Infinity,
			stdio: ["ignore", "pipe", "pipe"],
		});
	};
	const run: Run = (script) => inside(["--net"], script);
	await until("the boot", () => isBooted(run), { everyMs: 200 });
	return { run, runOnline: (script) => inside([], script), pid: systemd() };
}

/** Waits until the node with this operators' port (OPS_PORT) is ready. */
export async function untilReady(run: Run, port = 9464): Promise<void> {
	const ready = `curl --silent --fail http://127.0.0.1:${port}/readyz || true`;
	await until("the service to be ready", () => run(ready) !== "", { everyMs: 200 });
}

/** @returns a Bash script that repeats `restart`, and stops at the first step that fails */
export const rounds = (count: string, restart: string) => `for round in $(seq ${count}); do ${restart}\ndone`;

/** Restarts the service of a unit without a template, and waits until it is ready. */
export const restartOne = `systemctl restart animal-store
	curl --fail --silent --retry 60 --retry-delay 1 --retry-connrefused http://127.0.0.1:9464/readyz`;

/**
 * Lists and creates animals, over new and over kept connections, while a script runs. No unit and no request may fail.
 * @returns the number of requests
 */
export function underLoad(run: Run, url: string, key: string, script: string): number {
	// On a busy machine, a restart takes longer than 20 s.
	const options = "--silent --max-time 120 --output /dev/null --write-out '%{http_code} %{exitcode}\\n'";
	const list = `curl ${options} --header 'Authorization: Bearer ${key}'`;
	const create = `${list} --json '{"name":"Rex","categoryId":1}'`;
	const kept = `--rate 50/s '${url}#[1-100]'`;
	const each = `${list} ${url} && ${create} ${url}`;
	const clients = [each, each, `${list} ${kept}`, `${create} ${kept}`];
	const started = run("date +%s").trim();
	const counted = run(`touch busy; {
		${clients.map((client) => `while [ -e busy ]; do ${client} || sleep 0.1; done &`).join("\n")}
		(${script}\n) > /dev/null & wait $! || status=$?
		rm busy; wait; exit \${status:-0}
	} | sort | uniq -c`);
	const failures = `journalctl --unit='animal-store*' --since=@${started} | grep 'Failed with result' || true`;
	assert.equal(run(failures), "");
	const lines = [...counted.matchAll(/^ *(\d+) (.*)$/gm)];
	const outcomes = lines.map(([, , statusAndExitCode]) => statusAndExitCode);
	assert.deepEqual(outcomes, ["200 0", "201 0"], counted);
	return lines.reduce((sum, [, count]) => sum + Number(count), 0);
}

const isBooted = (run: Run) =>
	succeeds(() => assert.match(run("systemctl is-system-running || true"), /running|degraded/));

/** Creates the parent of the machine's control groups; it is removed at the end. */
function newControlGroup(): string {
	const hierarchy = /^\S+ (\S+) cgroup2 /m.exec(readFileSync("/proc/mounts", "utf8"))?.[1];
	const group = `${hierarchy}/animal-store-${process.pid}`;
	mkdirSync(group);
	return group;
}

/** Protects what the machine shares with the host: /sys is read-only, and so is /proc/sys except for /proc/sys/net. */
const boot = (root: string) => `
	mount --rbind ${root} ${root}; cd ${root}; mkdir -p proc sys dev run tmp mnt
	mount -t proc proc proc; mount --bind proc/sys proc/sys; mount -o remount,bind,ro proc/sys
	mount -t proc proc mnt; mount --bind mnt/sys/net proc/sys/net; umount mnt
	mount -t sysfs -o ro sysfs sys; mount -t cgroup2 cgroup2 sys/fs/cgroup
	mount -t tmpfs -o mode=755 none dev; cp -a /dev/{null,zero,full,random,urandom,tty} dev/
	ln -s /proc/self/fd dev/fd; ln -s pts/ptmx dev/ptmx; mkdir dev/pts dev/shm
	mount -t devpts -o ptmxmode=666 devpts dev/pts; for path in run tmp dev/shm; do mount -t tmpfs none $path; done
	chmod 1777 tmp dev/shm; ip link set lo up
	pivot_root . mnt; umount -l mnt
	exec env -i container=other PATH=$PATH /lib/systemd/systemd --show-status=no < /dev/null`;
