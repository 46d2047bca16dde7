// Mutants: small deliberate faults in source files, in the lists of test/house/mutants. Runs tests against them, each in a
// copy of the tree, with the project's test command. A mutant is killed if a test fails and the command exits with a code
// other than 0. `npm run prove -- --only mutants` proves that tests kill all of them.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { read } from "../support/checkout.ts";

export interface Mutant {
	/** The path of the source file in the repository. */
	file: string;
	/** A text that the file has exactly once. */
	from: string;
	to: string;
	/** The path of a test file in the repository; one of its tests must fail. */
	test: string;
}

/** Faults by the test file that detects them. If several files detect a fault, the quickest file is named. */
export type Faults = Record<string, [file: string, from: string, to: string][]>;

export interface Verdict {
	/** `killed`: a test failed. `unloaded`: a test file could not be loaded, and no test failed. */
	outcome: "killed" | "unloaded" | "survived" | "did not end";
	/** The title of the first test that failed. */
	by?: string;
	output: string;
}

export interface RunOptions {
	/** Variables to add to the environment of the test command. */
	environment: Record<string, string>;
	limitMs: number;
}

/** Every mutant in the lists of test/house/mutants, or in one list. */
export async function readMutants(list = ""): Promise<Mutant[]> {
	const folder = new URL("./mutants/", import.meta.url);
	const names = readdirSync(folder).filter((file) => list === "" || file === `${list}.ts`);
	if (names.length === 0) throw new Error(`there is no list test/house/mutants/${list}.ts`);
	const lists = names.sort().map(async (file): Promise<Faults> => (await import(`./mutants/${file}`)).faults);
	const rows = (await Promise.all(lists)).flatMap((faults) => Object.entries(faults));
	return rows.flatMap(([test, faults]) => faults.map(([file, from, to]): Mutant => ({ file, from, to, test })));
}

/** The content of the file with the fault. @throws Error unless the file has `from` exactly once */
export function applied({ file, from, to }: Mutant, text = read(file)): string {
	const pieces = text.split(from);
	if (pieces.length !== 2) throw new Error(`${file} has this text ${pieces.length - 1} times: ${from}`);
	return pieces.join(to);
}

/** Runs test files in a tree. At the end, their temporary folder is removed and their process group killed. */
export async function runTests(tree: string, tests: string[], { environment, limitMs }: RunOptions): Promise<Verdict> {
	const temporary = `${tree}-tmp`;
	mkdirSync(temporary);
	chmodSync(temporary, 0o777);
	const child = spawn(process.execPath, ["test/run.ts", ...tests], {
		cwd: tree,
		detached: true,
		// Unset, because with NODE_TEST_CONTEXT a test run inside a test would run nothing.
		env: { ...process.env, ...environment, TMPDIR: temporary, FORCE_COLOR: "0", NODE_TEST_CONTEXT: undefined },
		stdio: ["ignore", "pipe", "pipe"],
	});
	let output = "";
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding("utf8").on("data", (text) => {
			output += text;
		});
	const { pid } = child;
	if (pid === undefined) throw new Error("the tests could not be started");
	const endGroup = () => {
		try {
			process.kill(-pid, "SIGKILL");
		} catch {
			// All processes of the group have ended.
		}
	};
	process.once("exit", endGroup);
	let isLate = false;
	const timer = setTimeout(() => {
		isLate = true;
		endGroup();
	}, limitMs);
	const [code] = await once(child, "close");
	clearTimeout(timer);
	endGroup();
	process.off("exit", endGroup);
	rmSync(temporary, { recursive: true, force: true });
	return { ...verdictOf(output, code, isLate), output };
}

function verdictOf(output: string, code: number | null, isLate: boolean): Omit<Verdict, "output"> {
	if (isLate) return { outcome: "did not end" };
	if (code === 0 && !/^ℹ pass [1-9]/m.test(output)) throw new Error(`no test was run: ${output}`);
	const failed = [...output.matchAll(/^\s*✖ (.+) \([\d.]+ms\)$/gm)].map(([, title = ""]) => title);
	const [by] = failed.filter((title) => !title.endsWith(".test.ts"));
	if (code === 0) return { outcome: "survived" };
	return by === undefined ? { outcome: "unloaded", by: failed[0] ?? "" } : { outcome: "killed", by };
}

/** Adds the fault to the tree, runs its test file (again if the first run detects it), and removes the fault. */
export async function tryMutant(tree: string, mutant: Mutant, options: RunOptions): Promise<Verdict> {
	const path = join(tree, mutant.file);
	const before = readFileSync(path, "utf8");
	writeFileSync(path, applied(mutant, before));
	try {
		if (mutant.file.startsWith("console/")) await build(tree);
		const verdict = await runTests(tree, [mutant.test], options);
		// A test may fail by chance on a busy machine, so a test must fail in two runs.
		return verdict.outcome === "killed" ? await runTests(tree, [mutant.test], options) : verdict;
	} finally {
		writeFileSync(path, before);
		if (mutant.file.startsWith("console/")) await build(tree);
	}
}

async function build(tree: string): Promise<void> {
	const vite = join(tree, "node_modules", "vite", "bin", "vite.js");
	const child = spawn(process.execPath, [vite, "build", "console", "--logLevel", "error"], {
		cwd: tree,
		stdio: "ignore",
	});
	const [code] = await once(child, "close");
	if (code !== 0) throw new Error("the console could not be built");
}

/** Runs work for each item, one item at a time in each place. */
export async function shareOut<Item, Place>(
	items: readonly Item[],
	places: readonly Place[],
	work: (item: Item, place: Place) => Promise<void>,
): Promise<void> {
	const rest = items.values();
	await Promise.all(
		places.map(async (place) => {
			for (const item of rest) await work(item, place);
		}),
	);
}
