// How much CPU time this process has used and may use, and how many files it may open.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const millisecondsOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
export const ownProcessor = {
	threadMs: () => millisecondsOf(process.threadCpuUsage()),
	processMs: () => millisecondsOf(process.cpuUsage()),
	quota: cpuQuota,
};

/** The file's text; empty if it cannot be read, as on systems without the files of Linux in /proc and /sys. */
function textOf(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}

/**
 * The lowest CPU quota, in cores, of the control groups (version 1 or 2) that this process is in; infinite if none has
 * one. In a container, /proc/self/cgroup may show the host's paths, but /sys/fs/cgroup only the container's group.
 */
export function cpuQuota(read = textOf): number {
	const quotas = [Number.POSITIVE_INFINITY];
	for (const [, controllers = "", path = "/"] of read("/proc/self/cgroup").matchAll(/^\d+:(.*):(.*)$/gm)) {
		if (controllers !== "" && !controllers.split(",").includes("cpu")) continue;
		for (let group = path; ; group = dirname(group)) {
			const first = join("/sys/fs/cgroup/cpu", group, "cpu.cfs_");
			const text =
				controllers === ""
					? read(join("/sys/fs/cgroup", group, "cpu.max"))
					: `${read(`${first}quota_us`)} ${read(`${first}period_us`)}`;
			const [quota = 0, period = 0] = text.trim().split(/\s+/).map(Number);
			if (quota > 0 && period > 0) quotas.push(quota / period);
			if (group === dirname(group)) break;
		}
	}
	return Math.min(...quotas);
}

/** How many files the process may open; infinite if that is unknown. */
export function readMaxDescriptors(): number {
	const [, most] = /^Max open files +(\d+)/m.exec(textOf("/proc/self/limits")) ?? [];
	return Number(most ?? Infinity);
}
