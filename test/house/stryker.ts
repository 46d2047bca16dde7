// Mutants that Stryker makes of files, in a copy of the tree: each is a small fault that a test must detect. Each run
// installs Stryker, because nothing else needs it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { checkout } from "../support/checkout.ts";
import { npmEnvironment } from "../support/package.ts";
import type { Trial } from "../support/proof.ts";
import { testLimitMs } from "../support/until.ts";

const packages = ["@stryker-mutator/core@10.0.0", "@stryker-mutator/tap-runner@10.0.0"];

/** For each folder, another folder with its tests. The console is left out: Stryker cannot mutate code in a browser. */
const testsOf: Record<string, string> = {
	"src/contract": "test/contract",
	"src/http": "test/contract",
	"src/files": "test/cli",
	"src/cli": "test/cli",
	"src/keys": "test/contract",
	"src/ops": "test/operations",
	"src/store": "test/store",
	"client/src": "test/client",
};

/** The source files in a folder, or the one file at `place`. */
export function sourcesOf(place: string): string[] {
	const files = /\.tsx?$/.test(place) ? [place] : globSync(`${place}/**/*.{ts,tsx}`, { cwd: checkout }).sort();
	return files.filter((file) => !file.endsWith(".test.ts"));
}

/** The test files for a file or folder; files that share a word with its name are first. @throws Error if none exist */
export function testsFor(place: string): string[] {
	const folder = Object.keys(testsOf).find((name) => `${place}/`.startsWith(`${name}/`));
	if (!folder) throw new Error(`${place} is in no folder that has tests: ${Object.keys(testsOf).join(", ")}`);
	const all = [`${folder}/**`, `${testsOf[folder]}`].flatMap((path) =>
		globSync(`${path}/*.test.ts`, { cwd: checkout }).sort(),
	);
	const words = basename(place, ".ts").split("-");
	const isNamesake = (path: string) =>
		basename(path, ".test.ts")
			.split("-")
			.some((word) => words.includes(word));
	return [...all.filter(isNamesake), ...all.filter((path) => !isNamesake(path))];
}

interface Task {
	tree: string;
	files: string[];
	/** The test files, in the order in which they run. */
	tests: string[];
	/** The percentage of the mutants that must be detected. */
	least: number;
	environment: Record<string, string>;
}

/** Prints the surviving mutants. @throws AssertionError if the tests detect fewer than `least` percent of mutants */
export async function runStryker(
	{ folder, after }: Trial,
	{ tree, files, tests, least, environment }: Task,
): Promise<void> {
	const place = join(folder, "stryker");
	const temporary = join(place, "tmp");
	mkdirSync(temporary, { recursive: true });
	chmodSync(temporary, 0o777);
	writeFileSync(join(place, "package.json"), '{"private":true}');
	const env = { ...npmEnvironment, ...environment, TMPDIR: temporary };
	const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...packages];
	execFileSync("npm", install, { cwd: place, env, stdio: ["ignore", 2, 2] });
	const settingsFile = join(place, "stryker.json");
	writeFileSync(settingsFile, JSON.stringify(settings(files, tests, least)));
	const program = join(place, "node_modules/@stryker-mutator/core/bin/stryker.js");
	const child = spawn(process.execPath, [program, "run", settingsFile], { cwd: tree, env, stdio: ["ignore", 2, 2] });
	after(() => child.kill());
	const [code] = await once(child, "close");
	assert.equal(code, 0, `Stryker failed, or the tests detected less than ${least} % of the mutants`);
}

function settings(mutate: string[], testFiles: string[], least: number) {
	return {
		mutate,
		testRunner: "tap",
		plugins: ["@stryker-mutator/tap-runner"],
		tap: { testFiles, nodeArgs: ["--test-reporter=tap", "--test-force-exit", `--test-timeout=${testLimitMs}`] },
		// Stryker's coverage analysis misses code that runs in a thread or in another process, but its mutants run there.
		coverageAnalysis: "off",
		concurrency: availableParallelism(),
		// A run may take three times as long as the first run, because the machine is busier.
		timeoutFactor: 3,
		dryRunTimeoutMinutes: 30,
		inPlace: true,
		reporters: ["clear-text", "progress-append-only"],
		clearTextReporter: { allowColor: false, reportTests: false },
		thresholds: { high: 100, low: least, break: least },
	};
}
