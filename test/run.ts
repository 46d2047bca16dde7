// `npm test`: all tests, or the files that are named after `--`, with the servers that they need. Each file runs in a
// separate process, which ends with its last test even if a failed one left something open.

import { availableParallelism } from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { seed } from "./support/random.ts";
import { testLimitMs } from "./support/until.ts";

const named = process.argv.slice(2);
const all = ["src/**/*.test.ts", "console/src/**/*.test.ts", "test/*/*.test.ts"];

/** Ends the run and the processes that it started. */
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => interrupted.abort());

const options = {
	signal: interrupted.signal,
	cwd: fileURLToPath(new URL("..", import.meta.url)),
	globPatterns: named.length > 0 ? named : all,
	globalSetupPath: fileURLToPath(new URL("./global-setup.ts", import.meta.url)),
	// A test that hangs fails with its title. Tests in a browser, and tests that state why they are slow, may take
	// longer.
	execArgv: ["--test-force-exit", `--test-timeout=${testLimitMs}`],
	// One more than there are cores, because a file waits for its commands, browsers and clocks half of the time.
	concurrency: availableParallelism() + 1,
	// For a file whose tests cannot time out because the event loop is busy.
	timeout: 300_000,
};
console.log(`SEED=${seed}`);
const running = run(options);
running.on("test:fail", () => {
	process.exitCode = 1;
});
running.compose(spec).pipe(process.stdout);
