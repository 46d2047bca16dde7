// Faults in metrics, log lines and traces, and the tests that see them.

import type { Mutant } from "../mutant.ts";

export const mutants: Mutant[] = [
	{
		file: "src/http/reply-watch.ts",
		from: "return response.writableFinished ?",
		to: "return true ?",
		tests: ["test/reply-log.test.ts"],
	},
	{
		file: "src/store/sqlite/writer.ts",
		from: ", execArgv: [], env: {}",
		to: "",
		tests: ["test/serve-command.test.ts"],
	},
];
