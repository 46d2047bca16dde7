// The CPU time that this process has used, and may use, and the files that it may open.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const millisecondsOf = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
export const ownProcessor = {
	threadMs: () => millisecondsOf(process.threadCpuUsage()),
	processMs: () => millisecondsOf(process.cpuUsage()),
	quota: cpuQuota,
};

/**
 * The lowest CPU quota, in cores, of the control groups (version 1 or 2) that this process is in; infinite if none has
 * one. In a container, /proc/self/cgroup may show the host's paths, but /sys/fs/cgroup only the container's group.
 */
export function cpuQuota(read = (path: string) => readFileSync(path, "utf8")): number {
	const textOf = (path: string) => {
		try {
			return read(path);
		} catch {
			return "";
		}
	};
	const quotas = [Number.POSITIVE_INFINITY];
	for (const [, controllers = "", path = "/"] of textOf("/proc/self/cgroup").matchAll(/^\d+:(.*):(.*)$/gm)) {
		if (controllers !== "" && !controllers.split(",").includes("cpu")) continue;
		for (let group = path; ; group = dirname(group)) {
			const first = join("/sys/fs/cgroup/cpu", group, "cpu.cfs_");
			const text =
				controllers === ""
					? textOf(join("/sys/fs/cgroup", group, "cpu.max"))
					: `${textOf(`${first}quota_us`)} ${textOf(`${first}period_us`)}`;
			const [quota = 0, period = 0] = text.trim().split(/\s+/).map(Number);
			if (quota > 0 && period > 0) quotas.push(quota / period);
			if (group === dirname(group)) break;
		}
	}
	return Math.min(...quotas);
}

/** @returns how many files the process may open; undefined on systems without /proc */
export async function readMaxDescriptors(): Promise<number | undefined> {
	const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
	const [, most] = /^Max open files +(\d+)/m.exec(limits) ?? [];
	return most === undefined ? undefined : Number(most);
}
