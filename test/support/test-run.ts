// Runs test files with the command of `npm test`, in this checkout or in a copy of it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { checkout } from "./checkout.ts";

interface Options {
	/** The folder of the copy. */
	tree?: string;
	environment?: Record<string, string>;
	/** A command that runs the tests, such as `taskset --cpu-list 0`. */
	under?: string[];
	/** Called for each line of the report, except those of its summary. */
	say?(line: string): void;
}

/**
 * @param files paths or patterns, relative to the tree
 * @returns whether tests ran, all passed, and none was skipped, cancelled or left to do; and the titles of failed tests
 */
export async function runTests(files: string[], { tree = checkout, environment, under = [], say }: Options = {}) {
	const [program = "", ...parameters] = [...under, process.execPath, "test/run.ts", ...files];
	const child = spawn(program, parameters, {
		cwd: tree,
		// Unset, because with NODE_TEST_CONTEXT a test run inside a test would run nothing.
		env: { ...process.env, ...environment, FORCE_COLOR: "0", NODE_TEST_CONTEXT: undefined },
		stdio: ["ignore", "pipe", "pipe"],
	});
	const end = () => child.kill();
	process.once("exit", end);
	let output = "";
	let line = "";
	for (const stream of [child.stdout, child.stderr])
		stream.setEncoding("utf8").on("data", (text: string) => {
			output += text;
			const lines = (line + text).split("\n");
			line = lines.pop() ?? "";
			for (const one of lines) if (!/^ℹ \w+ [\d.]+$/.test(one)) say?.(one);
		});
	const [code] = await once(child, "close");
	process.off("exit", end);
	const count = (name: string) => Number(new RegExp(`^ℹ ${name} (\\d+)$`, "m").exec(output)?.[1] ?? Number.NaN);
	const isPassed =
		code === 0 && count("pass") > 0 && ["fail", "cancelled", "skipped", "todo"].every((name) => count(name) === 0);
	const failed = [...output.matchAll(/^\s*✖ (.+) \([\d.]+ms\)$/gm)].map(([, title = ""]) => title);
	return { isPassed, passed: count("pass"), failed, output };
}

/** Runs the test files of a proof. @returns how many tests passed @throws Error if one did not */
export async function runTestsOf(proof: string, say: (line: string) => void): Promise<number> {
	const { isPassed, passed } = await runTests([`test/proofs/${proof}/*.test.ts`], { say });
	if (!isPassed) throw new Error(`not all tests of test/proofs/${proof} passed; the report is above`);
	return passed;
}
