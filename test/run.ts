// `npm test`: all tests, or the files that are named behind `--`, with what they need around them. Each file runs in a process of
// its own, which ends with its last test even when a failed one left something open.

import { availableParallelism } from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const named = process.argv.slice(2);
const all = ["src/**/*.test.ts", "console/src/**/*.test.ts", "test/*.test.ts"];

/** Ends the run, with what it started and left behind. */
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => interrupted.abort());

const options = {
	signal: interrupted.signal,
	cwd: fileURLToPath(new URL("..", import.meta.url)),
	globPatterns: named.length > 0 ? named : all,
	globalSetupPath: fileURLToPath(new URL("./global-setup.ts", import.meta.url)),
	// A test that hangs ends with its title. No test takes this long, however busy the machine is.
	execArgv: ["--test-force-exit", "--test-timeout=300000"],
	// A file waits for its commands and browsers most of the time: one for each core, not one fewer.
	concurrency: availableParallelism(),
	// A file in which nothing can time out any more, because something keeps its event loop busy.
	timeout: 900_000,
};
const running = run(options);
running.on("test:fail", () => {
	process.exitCode = 1;
});
running.compose(spec).pipe(process.stdout);
