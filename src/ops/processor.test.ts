// The CPU quota that control groups set.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuQuota } from "./processor.ts";

test("the CPU quota is the lowest of the control groups, and infinite if none sets one", () => {
	const quotaIn = (files: Record<string, string>) => cpuQuota((path) => files[path] ?? "");
	const second = "/sys/fs/cgroup/system.slice/animal-store.service/cpu.max";
	const unit = { "/proc/self/cgroup": "0::/system.slice/animal-store.service\n" };
	assert.equal(quotaIn({}), Number.POSITIVE_INFINITY);
	assert.equal(quotaIn(unit), Number.POSITIVE_INFINITY);
	assert.equal(quotaIn({ ...unit, [second]: "max 100000\n" }), Number.POSITIVE_INFINITY);
	assert.equal(quotaIn({ ...unit, [second]: "50000 100000\n" }), 0.5);
	assert.equal(quotaIn({ ...unit, [second]: "50000 100000\n", "/sys/fs/cgroup/cpu.max": "20000 100000\n" }), 0.2);
	assert.equal(quotaIn({ "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "150000 100000\n" }), 1.5);
});
