// The CPU quota that control groups set.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuQuota, ownProcessor } from "./processor.ts";

test("the CPU quota is the lowest of the control groups, of both versions, and infinite if none sets one", () => {
	const quotaIn = (files: Record<string, string>) => cpuQuota((path) => files[path] ?? "");
	const second = "/sys/fs/cgroup/system.slice/animal-store.service/cpu.max";
	const unit = { "/proc/self/cgroup": "0::/system.slice/animal-store.service\n" };
	assert.equal(quotaIn({}), Number.POSITIVE_INFINITY);
	assert.equal(quotaIn(unit), Number.POSITIVE_INFINITY);
	assert.equal(quotaIn({ ...unit, [second]: "max 100000\n" }), Number.POSITIVE_INFINITY);
	assert.equal(quotaIn({ ...unit, [second]: "50000 100000\n" }), 0.5);
	assert.equal(quotaIn({ ...unit, [second]: "50000 100000\n", "/sys/fs/cgroup/cpu.max": "20000 100000\n" }), 0.2);
	const first = "/sys/fs/cgroup/cpu/docker/1/cpu.cfs_";
	const container = { "/proc/self/cgroup": "4:memory:/x\n3:cpu,cpuacct:/docker/1\n0::/\n" };
	assert.equal(quotaIn({ ...container, [`${first}quota_us`]: "-1\n", [`${first}period_us`]: "100000\n" }), Infinity);
	assert.equal(quotaIn({ ...container, [`${first}quota_us`]: "150000\n", [`${first}period_us`]: "100000\n" }), 1.5);
});

test("the time of a thread and of the process is that of the user and of the system", (context) => {
	context.mock.method(process, "threadCpuUsage", () => ({ user: 1000, system: 2000 }));
	context.mock.method(process, "cpuUsage", () => ({ user: 4000, system: 8000 }));
	assert.deepEqual([ownProcessor.threadMs(), ownProcessor.processMs()], [3, 12]);
});
