// `npm test` runs all tests, or the files named after `--`, with the servers that they need. A process runs several files
// in turn, because its start takes as long as a short file. It ends with its last test even if something is left open.

import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { fileURLToPath, pathToFileURL } from "node:url";
import { seed } from "./support/random.ts";
import { testLimitMs } from "./support/until.ts";

const named = process.argv.slice(2);
const all = ["src/**/*.test.ts", "console/src/**/*.test.ts", "test/*/*.test.ts"];
const cwd = fileURLToPath(new URL("..", import.meta.url));
for (const pattern of named)
	if (globSync(pattern, { cwd }).length === 0) throw new Error(`there is no test file ${pattern}`);
/** From last to first by name, because the tests of the store take longest. */
const files = globSync(named.length > 0 ? named : all, { cwd })
	.sort()
	.reverse();

const folder = mkdtempSync(join(tmpdir(), "animal-store-run-"));
process.once("exit", () => rmSync(folder, { recursive: true }));
/** A process loads all its files before its first test, which is impossible if a file awaits something. */
const isAlone = (file: string) => /^(const [^>\n]+)?await /m.test(readFileSync(join(cwd, file), "utf8"));
const groupOf = (file: string, at: number) =>
	isAlone(file) ? file : file.startsWith("test/") ? `${dirname(file)} ${at % 4}` : "beside the sources";
const programs = Object.entries(Object.groupBy(files, groupOf)).map(([name, group = []]) => {
	const program = join(folder, `${name.replaceAll("/", " ")}.mjs`);
	writeFileSync(program, group.map((file) => `import "${pathToFileURL(join(cwd, file))}";\n`).join(""));
	return program;
});
/** Tests in a browser keep the processor busy, and the others often wait. So they start in turns. */
const isInBrowser = (program: string) => program.includes("test console");
const turnOf = (program: string) =>
	programs.filter((other) => isInBrowser(other) === isInBrowser(program)).indexOf(program);

/** Ends the run and the processes that it started. */
const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => interrupted.abort());

const options = {
	signal: interrupted.signal,
	cwd,
	files: programs.toSorted((one, other) => turnOf(one) - turnOf(other)),
	globalSetupPath: fileURLToPath(new URL("./global-setup.ts", import.meta.url)),
	// Because of the time limit, the report names a test that hangs. Tests in a browser, and tests that state why they are
	// slow, have a longer limit.
	execArgv: ["--test-force-exit", `--test-timeout=${testLimitMs}`],
	// Two processes for each core, because a test spends half its time waiting for commands, browsers and clocks. At most
	// eight, because they share one PostgreSQL server and its connections.
	concurrency: Math.min(2 * availableParallelism(), 8),
	// For each process, in case a busy event loop keeps the timeouts of its tests from firing. A busy machine needs minutes.
	timeout: 900_000,
};
console.log(`SEED=${seed}`);
const running = run(options);
running.on("test:fail", () => {
	process.exitCode = 1;
});
running.compose(spec).pipe(process.stdout);
