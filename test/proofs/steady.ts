// Runs the tests again and again, on a quiet and on a busy machine, each time with another seed. Only this
// proof shows that a test which sometimes failed is mended. A run that was stopped is continued on the same commit: the
// results are in a file of the system's temporary folder, whose name has the commit.

import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "../support/checkout.ts";
import { type Proof, program, type Trial } from "../support/proof.ts";
import { seededRandom } from "../support/random.ts";
import { runTests } from "../support/test-run.ts";

interface Way {
	name: string;
	/** How often, by default. */
	times: number;
	/** Patterns of test files; all tests if empty. */
	files: string[];
	/** Loops that keep a core busy meanwhile. */
	busyLoops?: number;
	under?: string[];
}

const ways: Way[] = [
	{ name: "quiet", times: 4, files: [] },
	{ name: "busy", times: 3, files: [], busyLoops: 2 },
	{ name: "core", times: 3, files: [], under: ["taskset", "--cpu-list", "0"] },
	{ name: "browser", times: 20, files: ["test/console/*.test.ts"], busyLoops: 1 },
];

interface Result {
	way: string;
	seed: number;
	seconds: number;
	passed: number;
	failed: string[];
}

export const proof: Proof = {
	shows: "all tests pass 10 times, and those in a browser 20 times, on a quiet machine, a busy one and one core",
	needs: [program("taskset", "util-linux"), program("git")],
	isOfCheckout: true,
	options: Object.fromEntries(
		ways.map(({ name, times, files }) => [
			name,
			{ default: String(times), text: `how often ${files.length > 0 ? files : "npm test"} runs in this way` },
		]),
	),
	async prove(trial) {
		for (const { name } of ways)
			if (!/^\d+$/.test(trial.option(name))) throw new Error(`--${name} must be a number of runs`);
		const commit = currentCommit();
		const file = join(tmpdir(), `animal-store-steady-${commit}.jsonl`);
		const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
		const results = lines.map((line): Result => JSON.parse(line));
		trial.say(`${results.length} runs are in ${file}`);
		for (let way = nextWay(results, trial); way; way = nextWay(results, trial)) {
			const result = await runOnce(way, trial, results.length);
			if (currentCommit() !== commit) throw new Error("the tree has changed during the run");
			appendFileSync(file, `${JSON.stringify(result)}\n`);
			results.push(result);
			const { seconds, seed, passed, failed } = result;
			trial.say(`${way.name}: ${seconds} s, SEED=${seed}, ${passed} passed, ${failed.length} failed`);
		}
		return conclude(results);
	},
};

/** @throws Error if the tree differs from the commit */
function currentCommit(): string {
	const git = (...parameters: string[]) => execFileSync("git", parameters, { cwd: checkout, encoding: "utf8" }).trim();
	if (git("status", "--porcelain")) throw new Error("commit or stash your changes: the results are those of a commit");
	return git("rev-parse", "HEAD");
}

/** The way with the smallest share of its runs done, so that a run that is stopped has tried each way. */
function nextWay(results: readonly Result[], { option }: Trial): Way | undefined {
	const shareOf = ({ name }: Way) => results.filter(({ way }) => way === name).length / Number(option(name));
	const wanted = ways.filter(({ name }) => Number(option(name)) > 0);
	const [next] = wanted.toSorted((one, other) => shareOf(one) - shareOf(other));
	return next && shareOf(next) < 1 ? next : undefined;
}

async function runOnce(way: Way, { seed, after, say }: Trial, index: number): Promise<Result> {
	const random = seededRandom(seed + index);
	const runSeed = Math.floor(random() * 2 ** 31);
	say(`${way.name}: npm test ${way.files.join(" ")} with SEED=${runSeed}, on ${availableParallelism()} cores`);
	const loops = Array.from({ length: way.busyLoops ?? 0 }, () => spawn(process.execPath, ["-e", "for (;;);"]));
	const endLoops = () => {
		for (const loop of loops) loop.kill("SIGKILL");
	};
	after(endLoops);
	const startedAt = performance.now();
	const { isPassed, passed, failed, output } = await runTests(way.files, {
		environment: { SEED: String(runSeed) },
		...(way.under && { under: way.under }),
	});
	endLoops();
	if (!isPassed) say(output.slice(Math.max(0, output.indexOf("✖ failing tests"))));
	const titles = [...new Set(failed)];
	return {
		...{ way: way.name, seed: runSeed, passed },
		seconds: Math.round((performance.now() - startedAt) / 1000),
		failed: isPassed ? [] : titles.length > 0 ? titles : ["the run itself, which named no test"],
	};
}

/** @throws Error that says how often each test failed */
function conclude(results: readonly Result[]): object {
	const failures = new Map<string, string[]>();
	for (const { way, seed, failed } of results)
		for (const title of failed) failures.set(title, [...(failures.get(title) ?? []), `${way} SEED=${seed}`]);
	const table = [...failures].map(([title, where]) => `${where.length} × ${title} (${where.join(", ")})`);
	if (table.length > 0) throw new Error(`in ${results.length} runs failed:\n${table.join("\n")}`);
	if (results.length === 0) throw new Error("no run was wanted");
	const counted = ways.map(({ name }) => [name, results.filter(({ way }) => way === name).length]);
	return { ...Object.fromEntries(counted), longest: Math.max(...results.map(({ seconds }) => seconds)) };
}
