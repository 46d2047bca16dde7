// Mutants that Stryker makes of source files, in a copy of the tree: each is a small fault that a test must detect. Each
// run installs Stryker, because nothing else needs it.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { checkout, copyTree } from "../support/checkout.ts";
import { npmEnvironment } from "../support/package.ts";
import { startPostgresFor } from "../support/postgres-server.ts";
import type { Proof, Trial } from "../support/proof.ts";
import { testLimitMs } from "../support/until.ts";

/** Stryker's packages are optional peers of the tests: npm installs them only here. */
const { peerDependencies } = JSON.parse(readFileSync(join(checkout, "test/package.json"), "utf8"));
const packages = Object.entries(peerDependencies).map(([name, version]) => `${name}@${version}`);

/** For each folder, another folder with its tests. The console is left out: Stryker cannot mutate code in a browser. */
const testsOf: Record<string, string> = {
	"src/contract": "test/contract",
	"src/http": "test/contract",
	"src/files": "test/cli",
	"src/cli": "test/cli",
	"src/keys": "test/contract",
	"src/ops": "test/operations",
	"src/store": "test/store",
	"src/jobs": "test/store",
	"client/src": "test/client",
};

export const proof: Proof = {
	shows: "tests detect most of the faults that Stryker makes in a file or folder",
	isOfCheckout: true,
	options: {
		files: { default: "src/contract/json.ts", text: "a file or folder, such as src/http/paging.ts" },
		tests: { default: "", text: "tests to run instead of the folder's, such as test/contract/paging.test.ts" },
		least: { default: "80", text: "percentage of the mutants that must be detected" },
	},
	async prove(trial) {
		const place = trial.option("files");
		const named = trial.option("tests");
		const found = (path: string) => globSync(path, { cwd: checkout }).sort();
		const tests = named ? named.split(" ").flatMap(found) : testsFor(place);
		assert.ok(tests.length > 0, `there is no test file ${named}`);
		const least = Number(trial.option("least"));
		const sources = sourcesOf(place).filter((path) => existsSync(join(checkout, path)));
		assert.ok(least >= 0 && sources.length > 0, `there is no source ${place}, or --least is not a number`);
		await runStryker(trial, settings(sources, tests, least));
		return { files: place, least };
	},
};

/** The source files in a folder, or the one file at `place`. */
function sourcesOf(place: string): string[] {
	const files = /\.tsx?$/.test(place) ? [place] : globSync(`${place}/**/*.{ts,tsx}`, { cwd: checkout }).sort();
	return files.filter((file) => !file.endsWith(".test.ts"));
}

/** The test files for a file or folder; files that share a word with its name are first. @throws Error if none exist */
function testsFor(place: string): string[] {
	const folder = Object.keys(testsOf).find((name) => `${place}/`.startsWith(`${name}/`));
	if (!folder) throw new Error(`${place} is in no folder that has tests: ${Object.keys(testsOf).join(", ")}`);
	const all = [`${folder}/**`, "test/outcomes", `${testsOf[folder]}`].flatMap((path) =>
		globSync(`${path}/*.test.ts`, { cwd: checkout }).sort(),
	);
	const words = basename(place, ".ts").split("-");
	const isNamesake = (path: string) => words.some((word) => basename(path, ".test.ts").split("-").includes(word));
	return [...all.filter(isNamesake), ...all.filter((path) => !isNamesake(path))];
}

/** Prints the surviving mutants. @throws AssertionError if the tests detect too few mutants */
async function runStryker(trial: Trial, settings: object): Promise<void> {
	const place = join(trial.folder, "stryker");
	const temporary = join(place, "tmp");
	mkdirSync(temporary, { recursive: true });
	chmodSync(temporary, 0o777);
	writeFileSync(join(place, "package.json"), '{"private":true}');
	chmodSync(trial.folder, 0o755);
	// One server for all runs of tests.
	const { url: TEST_POSTGRES_URL } = await startPostgresFor(trial, ["-c", "max_connections=300"]);
	const env = { ...npmEnvironment, TEST_POSTGRES_URL, TMPDIR: temporary };
	const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...packages];
	execFileSync("npm", install, { cwd: place, env, stdio: ["ignore", 2, 2] });
	const settingsFile = join(place, "stryker.json");
	writeFileSync(settingsFile, JSON.stringify(settings));
	const program = join(place, "node_modules/@stryker-mutator/core/bin/stryker.js");
	const tree = copyTree(join(trial.folder, "tree"));
	const child = spawn(process.execPath, [program, "run", settingsFile], { cwd: tree, env, stdio: ["ignore", 2, 2] });
	trial.after(() => child.kill());
	const [code] = await once(child, "close");
	assert.equal(code, 0, "Stryker failed, or the tests detected too few of the mutants");
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
