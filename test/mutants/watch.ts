// Faults in metrics, log lines and traces, and the tests that see them.

import type { Mutant } from "../mutant.ts";

const replyWatch = "src/http/reply-watch.ts";
const requests = "src/ops/request-metrics.ts";
const exposition = "src/ops/exposition.ts";
const trace = "src/contract/trace-context.ts";
const pure = ["src/ops/metrics.test.ts"];
const lines = ["test/reply-log.test.ts"];
const start = ["test/serve-command.test.ts"];

export const mutants: Mutant[] = [
	{ file: exposition, from: "value > (bounds[index]", to: "value >= (bounds[index]", tests: pure },
	{ file: exposition, from: "count += own;", to: "count = own;", tests: pure },
	{ file: exposition, from: '.replace(/[\\\\"\\n]/g, escapeCharacter)', to: "", tests: pure },
	{ file: requests, from: "if (size >= callersMax) dropOldest();", to: "", tests: pure },
	{ file: requests, from: "one.turn < other.turn", to: "one.turn > other.turn", tests: pure },
	{ file: requests, from: '|| method === "HEAD"', to: "", tests: pure },
	{ file: replyWatch, from: "if (response.writableFinished) return", to: "return", tests: lines },
	{ file: replyWatch, from: 'if (reason === "overloaded") sheds.count();\n\t\telse ', to: "", tests: lines },
	{ file: trace, from: 'version !== "ff" && ', to: "", tests: lines },
	{ file: trace, from: "/^0+$/.test(traceId) || ", to: "", tests: lines },
	{ file: trace, from: " || /^0+$/.test(spanId)", to: "", tests: lines },
	{ file: trace, from: "active.isRemote || ", to: "", tests: lines },
	{ file: trace, from: " || /^0+$/.test(active.spanId)", to: "", tests: lines },
	{ file: replyWatch, from: "trace?.isOwn", to: "trace", tests: lines },
	{ file: "src/store/sqlite/writer.ts", from: ", execArgv: [], env: {}", to: "", tests: start },
	{ file: "src/store/sqlite/writer.ts", from: ", env: {}", to: "", tests: start },
];
