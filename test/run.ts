// `npm test` runs all tests, or the files named after `--`, with the servers that they need. Each file runs in a
// separate process, which ends with its last test even if a failed test has left something open.

import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { seed } from "./support/random.ts";
import { testLimitMs } from "./support/until.ts";

const named = process.argv.slice(2);
const all = ["src/**/*.test.ts", "console/src/**/*.test.ts", "test/*/*.test.ts"];
/** The files that take longest. They start first: at the end, none of them runs alone. */
const longest = [
	"test/console/look.test.ts",
	"test/contract/http-postgres.test.ts",
	"test/console/panel.test.ts",
	"test/console/console.test.ts",
	"test/console/imports.test.ts",
	"test/store/faults-postgres.test.ts",
	"test/console/spreadsheets.test.ts",
	"test/store/pool-postgres.test.ts",
	"test/store/lost-file.test.ts",
	"test/store/nodes.test.ts",
	"test/store/copy.test.ts",
];

const cwd = fileURLToPath(new URL("..", import.meta.url));
for (const pattern of named)
	if (globSync(pattern, { cwd }).length === 0) throw new Error(`there is no test file ${pattern}`);
const files = globSync(named.length > 0 ? named : all, { cwd }).sort();
const place = (file: string) => (longest.includes(file) ? longest.indexOf(file) : longest.length);
files.sort((one, other) => place(one) - place(other));

/** Ends the run and the processes that it started. */
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => interrupted.abort());

const options = {
	signal: interrupted.signal,
	cwd,
	files,
	globalSetupPath: fileURLToPath(new URL("./global-setup.ts", import.meta.url)),
	// Because of the time limit, the report names a test that hangs. Tests in a browser, and tests that state why they are
	// slow, have a longer limit.
	execArgv: ["--test-force-exit", `--test-timeout=${testLimitMs}`],
	// Two files for each core, because a file spends half its time waiting for commands, browsers and clocks. At most
	// eight, because they share one PostgreSQL server and its connections.
	concurrency: Math.min(2 * availableParallelism(), 8),
	// For each file, in case a busy event loop keeps the timeouts of its tests from firing. A busy machine needs minutes.
	timeout: 900_000,
};
console.log(`SEED=${seed}`);
const running = run(options);
running.on("test:fail", () => {
	process.exitCode = 1;
});
running.compose(spec).pipe(process.stdout);
