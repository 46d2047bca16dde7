// `npm test`: all tests, or the files that are named behind `--`, with what they need around them. Each file runs in a process of
// its own, which ends with its last test even when a failed one left something open.

import { availableParallelism } from "node:os";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";
import { seed } from "./support/random.ts";
import { testLimitMs } from "./support/until.ts";

const named = process.argv.slice(2);
const all = ["src/**/*.test.ts", "console/src/**/*.test.ts", "test/*/*.test.ts"];

/** Ends the run, with what it started and left behind. */
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => interrupted.abort());

const options = {
	signal: interrupted.signal,
	cwd: fileURLToPath(new URL("..", import.meta.url)),
	globPatterns: named.length > 0 ? named : all,
	globalSetupPath: fileURLToPath(new URL("./global-setup.ts", import.meta.url)),
	// A test that hangs ends with its title. Those in a browser, and those that say why they are slow, may take longer.
	execArgv: ["--test-force-exit", `--test-timeout=${testLimitMs}`],
	// A file waits for its commands, browsers and clocks half of the time: one more than there are cores.
	concurrency: availableParallelism() + 1,
	// A file in which nothing can time out any more, because something keeps its event loop busy.
	timeout: 300_000,
};
console.log(`SEED=${seed}`);
const running = run(options);
running.on("test:fail", () => {
	process.exitCode = 1;
});
running.compose(spec).pipe(process.stdout);
