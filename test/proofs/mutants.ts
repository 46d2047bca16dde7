// Whether the tests detect faults: the committed lists of mutants, or random mutants of one folder.

import assert from "node:assert/strict";
import { chmodSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Mutant } from "../house/mutant.ts";
import { mutationsOf, sample } from "../house/mutant-generator.ts";
import { testsFor } from "../house/mutant-rooms.ts";
import {
	copyTree,
	type RunOptions,
	readMutants,
	root,
	runTests,
	shareOut,
	tryMutant,
	type Verdict,
} from "../house/mutants.ts";
import { unpackChromium } from "../support/chromium.ts";
import { startPostgres } from "../support/postgres-server.ts";
import type { Proof, Trial } from "../support/proof.ts";
import { seededRandom } from "../support/random.ts";

export const proof: Proof = {
	shows: "a test fails, and ends, for every fault of the committed lists, or for 90 % of random faults",
	options: {
		list: { default: "", text: "one list of test/house/mutants, such as edits" },
		generate: { default: "", text: "random mutants of this folder or file, such as src/contract" },
		sample: { default: "50", text: "number of random mutants" },
		least: { default: "90", text: "percentage that must be detected" },
		limit: { default: "300", text: "seconds after which a run of tests is ended" },
	},
	async prove(trial) {
		const room = trial.option("generate");
		const mutants = room ? await generate(room, trial) : (await readMutants(trial.option("list"))).map(listed);
		const options = await prepare(trial);
		const trees = Array.from({ length: availableParallelism() }, (_, place) =>
			copyTree(join(trial.folder, `tree-${place}`)),
		);
		await assertPassing(mutants, trees, options, trial);
		const verdicts = new Map<Generated, Verdict>();
		await shareOut(mutants, trees, async (mutant, tree) => {
			const verdict = await tryMutant(tree, mutant, options);
			verdicts.set(mutant, verdict);
			trial.say(`${verdicts.size} of ${mutants.length}: ${described(mutant)}: ${verdict.outcome} ${verdict.by ?? ""}`);
		});
		return judge(verdicts, room, trial);
	},
};

type Generated = Mutant & { line: number };

function listed(mutant: Mutant): Generated {
	const before = readFileSync(join(root, mutant.file), "utf8").split(mutant.from)[0] ?? "";
	return { ...mutant, line: before.split("\n").length };
}

async function generate(room: string, { seed, option }: Trial): Promise<Generated[]> {
	const files = /\.tsx?$/.test(room) ? [room] : globSync(`${room}/**/*.{ts,tsx}`, { cwd: root });
	const all: Generated[] = [];
	for (const file of files.filter((file) => !file.endsWith(".test.ts")).sort()) {
		const text = readFileSync(join(root, file), "utf8");
		for (const { start, end, to } of await mutationsOf(text, file)) all.push(wholeLine(file, text, { start, end, to }));
	}
	return sample(all, Number(option("sample")), seededRandom(seed));
}

/** A mutant as in a list: its text is extended until it occurs once in the file. */
function wholeLine(file: string, text: string, place: { start: number; end: number; to: string }): Generated {
	const line = text.slice(0, place.start).split("\n").length;
	let [start, end] = [place.start, place.end];
	while (text.split(text.slice(start, end)).length !== 2) {
		start = Math.max(0, text.lastIndexOf("\n", start - 1));
		end = text.indexOf("\n", end + 1) < 0 ? text.length : text.indexOf("\n", end + 1);
	}
	const to = text.slice(start, place.start) + place.to + text.slice(place.end, end);
	return { file, from: text.slice(start, end), to, tests: testsFor(file, root), line };
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
	const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))];
	say(`${mutants.length} mutants; first ${tests.length} test files without any`);
	await shareOut(tests, trees, async (test, tree) => {
		const passes = async () => (await runTests(tree, [test], options)).outcome === "survived";
		if (await passes()) return;
		say(`${test} fails without a mutant; once more`);
		assert.ok(await passes(), `${test} fails without a mutant`);
	});
}

function described({ file, line, from, to }: Generated): string {
	const shown = (text: string) => JSON.stringify(text.trim().slice(0, 160));
	return `${file}:${line} ${shown(from)} → ${shown(to)}`;
}

function judge(verdicts: Map<Generated, Verdict>, room: string, { seed, option }: Trial): object {
	const those = (outcome: Verdict["outcome"]) =>
		[...verdicts].filter(([, verdict]) => verdict.outcome === outcome).map(([mutant]) => described(mutant));
	const survived = those("survived");
	const endless = those("did not end");
	// A fault that keeps a test file from loading is not detected by a test, so it may not be in a list.
	const unloaded = room ? [] : those("unloaded");
	const killed = verdicts.size - survived.length - endless.length - unloaded.length;
	// A random mutant whose run does not end counts as detected; for one of a list a test must fail.
	const percent = Math.floor((100 * (killed + (room ? endless.length : 0))) / verdicts.size);
	const figures = { ...(room && { room, seed }), mutants: verdicts.size, killed, percent, survived, endless, unloaded };
	const least = room ? Number(option("least")) : 100;
	assert.ok(
		percent >= least,
		`${percent} % were detected, and ${least} % must be\n${JSON.stringify(figures, null, "\t")}`,
	);
	return figures;
}
