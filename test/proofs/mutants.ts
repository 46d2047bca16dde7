// Shows whether tests detect mutants: those of the committed lists, or those that Stryker makes of a file or folder.

import assert from "node:assert/strict";
import { chmodSync, globSync, mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import {
	type Mutant,
	type RunOptions,
	readMutants,
	runTests,
	shareOut,
	tryMutant,
	type Verdict,
} from "../house/mutants.ts";
import { runStryker, sourcesOf, testsFor } from "../house/stryker.ts";
import { checkout, copyTree, read } from "../support/checkout.ts";
import { unpackChromium } from "../support/chromium.ts";
import { startPostgres } from "../support/postgres-server.ts";
import type { Proof, Trial } from "../support/proof.ts";

export const proof: Proof = {
	shows: "a test fails, and ends, for every fault of the committed lists, or for most that Stryker makes of a file",
	options: {
		list: { default: "", text: "one list of test/house/mutants, such as edits" },
		limit: { default: "300", text: "seconds after which a run of tests for a listed fault is ended" },
		generate: { default: "", text: "Stryker's mutants of this file or folder, such as src/http/paging.ts" },
		tests: { default: "", text: "tests to run instead of the folder's, such as test/contract/paging.test.ts" },
		least: { default: "80", text: "percentage of Stryker's mutants that must be detected" },
	},
	async prove(trial) {
		const options = await prepare(trial);
		return trial.option("generate") ? proveGenerated(trial, options) : proveListed(trial, options);
	},
};

async function proveListed(trial: Trial, options: RunOptions): Promise<object> {
	const mutants = await readMutants(trial.option("list"));
	const trees = Array.from({ length: availableParallelism() }, (_, place) =>
		copyTree(join(trial.folder, `tree-${place}`)),
	);
	await assertPassing(mutants, trees, options, trial);
	const verdicts = new Map<Mutant, Verdict>();
	await shareOut(mutants, trees, async (mutant, tree) => {
		const verdict = await tryMutant(tree, mutant, options);
		verdicts.set(mutant, verdict);
		trial.say(`${verdicts.size} of ${mutants.length}: ${described(mutant)}: ${verdict.outcome} ${verdict.by ?? ""}`);
	});
	return judge(verdicts);
}

async function proveGenerated(trial: Trial, { environment }: RunOptions): Promise<object> {
	const place = trial.option("generate");
	const named = trial.option("tests");
	const found = (path: string) => globSync(path, { cwd: checkout }).sort();
	const tests = named ? named.split(" ").flatMap(found) : testsFor(place);
	assert.ok(tests.length > 0, `there is no test file ${named}`);
	const tree = copyTree(join(trial.folder, "tree"));
	const least = Number(trial.option("least"));
	await runStryker(trial, { tree, files: sourcesOf(place), tests, least, environment });
	return { place, least };
}

/** One PostgreSQL and one Chromium for all runs. */
async function prepare({ folder, after, option }: Trial): Promise<RunOptions> {
	chmodSync(folder, 0o755);
	const server = await startPostgres(["-c", "max_connections=300"]);
	after(() => server.remove());
	const environment: RunOptions["environment"] = { TEST_POSTGRES_URL: server.url };
	if (!process.env["TEST_CHROMIUM"]) {
		const chromium = join(folder, "chromium");
		mkdirSync(chromium);
		await unpackChromium(chromium);
		environment["TEST_CHROMIUM"] = chromium;
	}
	return { environment, limitMs: Number(option("limit")) * 1000 };
}

/** Tests that fail without a fault would detect every mutant. */
async function assertPassing(mutants: Mutant[], trees: string[], options: RunOptions, { say }: Trial): Promise<void> {
	const tests = [...new Set(mutants.map(({ test }) => test))];
	say(`${mutants.length} mutants; first ${tests.length} test files run without a mutant`);
	await shareOut(tests, trees, async (test, tree) => {
		const passes = async () => (await runTests(tree, [test], options)).outcome === "survived";
		if (await passes()) return;
		say(`${test} fails without a mutant; running it again`);
		assert.ok(await passes(), `${test} fails without a mutant`);
	});
}

function described({ file, from, to }: Mutant): string {
	const [before = ""] = read(file).split(from);
	const shown = (text: string) => JSON.stringify(text.trim().slice(0, 160));
	return `${file}:${before.split("\n").length} ${shown(from)} → ${shown(to)}`;
}

function judge(verdicts: Map<Mutant, Verdict>): object {
	const those = (outcome: Verdict["outcome"]) =>
		[...verdicts].filter(([, verdict]) => verdict.outcome === outcome).map(([mutant]) => described(mutant));
	// If a fault keeps a test file from loading, no test detects the fault. So no list may have such a fault.
	const [survived, endless, unloaded] = [those("survived"), those("did not end"), those("unloaded")];
	const figures = { mutants: verdicts.size, killed: those("killed").length, survived, endless, unloaded };
	assert.equal(figures.killed, figures.mutants, JSON.stringify(figures, null, "\t"));
	return figures;
}
