// A machine that systemd boots in a folder, with its own processes, mounts, control groups and network.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Trial } from "./proof.ts";
import { until } from "./until.ts";

/** Runs a script of bash. @returns standard output @throws if a command fails */
export type Run = (script: string) => string;

export interface Machine {
	/** With its own network only. */
	run: Run;
	/** With the network of this machine, for downloads. */
	runOnline: Run;
	/** The process id of its systemd on this machine. */
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
 * @param root the folder that becomes its root
 * @param mounts commands before the boot, for mounts that only the machine has
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
			stdio: ["ignore", "pipe", "pipe"],
		});
	};
	const run: Run = (script) => inside(["--net"], script);
	await until("the boot", () => isBooted(run), { everyMs: 200 });
	return { run, runOnline: (script) => inside([], script), pid: systemd() };
}

/** Waits until the node with this operators' port is ready. */
export async function untilReady(run: Run, port = 9464): Promise<void> {
	const ready = `curl --silent --fail http://127.0.0.1:${port}/readyz || true`;
	await until("the service to be ready", () => run(ready) !== "", { everyMs: 200 });
}

/** Lists and creates at a URL, over new connections, while a script runs. @returns the number of requests, which all succeeded */
export function underLoad(run: Run, url: string, key: string, done: string): number {
	const request = `curl --silent --output /dev/null --write-out '%{http_code}\\n' --header 'Authorization: Bearer ${key}'`;
	const create = `${request} --json '{"name":"Rex","categoryId":1}' ${url}`;
	const statuses = run(
		`touch busy; while [ -e busy ]; do ${request} ${url} || true; ${create} || true; done & { ${done}\n} > /dev/null; rm busy; wait`,
	);
	assert.match(statuses, /^(200\n201\n)+$/);
	return statuses.length / 4;
}

function isBooted(run: Run): boolean {
	try {
		return /running|degraded/.test(run("systemctl is-system-running || true"));
	} catch {
		return false;
	}
}

/** The parent of the machine's control groups, which is removed at the end. */
function newControlGroup(): string {
	const hierarchy = /^\S+ (\S+) cgroup2 /m.exec(readFileSync("/proc/mounts", "utf8"))?.[1];
	const group = `${hierarchy}/animal-store-${process.pid}`;
	mkdirSync(group);
	return group;
}

/** Protects what machines share: /proc/sys, except for its own network, and /sys are read-only. */
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
