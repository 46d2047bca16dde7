// Runs tests against mutants: each in a copy of the tree, through the test command that everybody uses. A mutant is killed when a test
// fails and the command ends with another code than 0.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Mutant } from "./mutant.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Verdict {
	/** `killed` by a test; `unloaded`: nothing but the loading of a test file failed. */
	outcome: "killed" | "unloaded" | "survived" | "did not end";
	/** The title of the first test that failed. */
	by?: string;
	output: string;
}

export interface RunOptions {
	/** What the test command gets beside its own environment. */
	environment: Record<string, string>;
	limitMs: number;
}

/** Every mutant in the lists of test/house/mutants, or in one of them. */
export async function readMutants(list = ""): Promise<Mutant[]> {
	const folder = new URL("./mutants/", import.meta.url);
	const names = readdirSync(folder).filter((file) => list === "" || file === `${list}.ts`);
	if (names.length === 0) throw new Error(`there is no list test/house/mutants/${list}.ts`);
	const lists = names.sort().map(async (file): Promise<Mutant[]> => (await import(`./mutants/${file}`)).mutants);
	return (await Promise.all(lists)).flat();
}

/** The file with the fault in it. @throws Error unless `from` is in it exactly once */
export function applied({ file, from, to }: Mutant, text = readFileSync(join(root, file), "utf8")): string {
	const pieces = text.split(from);
	if (pieces.length !== 2) throw new Error(`${file} has this ${pieces.length - 1} times: ${from}`);
	return pieces.join(to);
}

/** A copy of the tree to change; what is installed is shared. */
export function copyTree(folder: string): string {
	const isCopied = (path: string) => !["node_modules", ".git", "screenshots"].includes(basename(path));
	cpSync(root, folder, { recursive: true, filter: isCopied });
	for (const path of ["node_modules", "test/node_modules"]) symlinkSync(join(root, path), join(folder, path));
	return folder;
}

/** Runs test files in a tree. One that starts nothing else may leave what it likes: its temporary folder is removed. */
export async function runTests(tree: string, tests: string[], { environment, limitMs }: RunOptions): Promise<Verdict> {
	const temporary = `${tree}-tmp`;
	mkdirSync(temporary);
	chmodSync(temporary, 0o777);
	const child = spawn(process.execPath, ["test/run.ts", ...tests], {
		cwd: tree,
		detached: true,
		// NODE_TEST_CONTEXT would tell a run within a test to run nothing.
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
			// It has ended.
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

/** Puts the fault into the tree, runs its test files one after the other until one sees it twice, and takes the fault out. */
export async function tryMutant(tree: string, mutant: Mutant, options: RunOptions): Promise<Verdict> {
	const path = join(tree, mutant.file);
	const before = readFileSync(path, "utf8");
	writeFileSync(path, applied(mutant, before));
	try {
		if (mutant.file.startsWith("console/")) await build(tree);
		let verdict: Verdict = { outcome: "survived", output: "" };
		for (const test of mutant.tests) {
			verdict = await runTests(tree, [test], options);
			// A test that fails by chance has seen nothing: on a busy machine some do.
			if (verdict.outcome === "killed") verdict = await runTests(tree, [test], options);
			if (verdict.outcome !== "survived") break;
		}
		return verdict;
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

/** Does something with each item, as many at once as there are places to do it in. */
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
