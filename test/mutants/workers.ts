// Faults of several workers that the tests must see.

import type { Mutant } from "../mutant.ts";

const tests = ["test/workers.test.ts"];

export const mutants: Mutant[] = [
	{ file: "src/workers/worker.ts", from: "isLead && { firstKey:", to: "{ firstKey:", tests },
	{ file: "src/workers/primary.ts", from: 'supervisor.tell({ kind: "stopWrites", cause });', to: "", tests },
	{ file: "src/workers/supervisor.ts", from: "onEnded(worker.answers);", to: "", tests },
	{ file: "src/workers/supervisor.ts", from: "mayBeOlder && worker.isServing", to: "false", tests },
	{
		file: "src/workers/supervisor.ts",
		from: "if (servesSinceMs === undefined && serving().length === 0) return onLost();",
		to: "",
		tests,
	},
	{ file: "src/workers/worker.ts", from: 'if (message.kind === "stop" && !running) leave();', to: "", tests },
	{ file: "src/service.ts", from: "counts: shared?.counts", to: "counts: undefined", tests },
	{
		file: "src/workers/log-lines.ts",
		from: "Buffer.concat([...begun, chunk.subarray(0, end)])",
		to: "chunk.subarray(0, end)",
		tests: ["src/workers/log-lines.test.ts"],
	},
	{ file: "src/workers/log-lines.ts", from: "from.pause();", to: "", tests: ["src/workers/log-lines.test.ts"] },
	{
		file: "src/ops/summed-metrics.ts",
		from: "combine(sum.value, sample.value)",
		to: "sample.value",
		tests: ["src/ops/summed-metrics.test.ts"],
	},
];
