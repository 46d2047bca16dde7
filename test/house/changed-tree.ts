// A copy of the tree, which a test changes as a developer would, led by the compiler and by failing tests.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { copyTree } from "../support/checkout.ts";
import { temporaryFolder } from "../support/service.ts";
import { type RunOptions, runTests } from "./mutants.ts";

/** A text to insert into a file after another text, which the file must contain exactly once. */
export type Addition = [file: string, after: string, addition: string];

export interface ChangedTree {
	path: string;
	edit(...additions: Addition[]): void;
	/** Runs a Node program that must succeed. @returns its output */
	run(...parameters: string[]): string;
	/** Asserts that the compiler names each of these files, and that the additions fix all errors. */
	leadsTo(project: string, additions: Addition[]): void;
	/** Asserts that the title of the first failing test contains `title`. */
	fails(file: string, title: string): Promise<void>;
	passes(...files: string[]): Promise<void>;
}

const options: RunOptions = { environment: {}, limitMs: 200_000 };

export function addTo(tree: string, ...additions: Addition[]): void {
	for (const [file, after, addition] of additions) {
		const text = readFileSync(join(tree, file), "utf8");
		assert.equal(text.split(after).length, 2, `${file} has this text once: ${after}`);
		writeFileSync(join(tree, file), text.replace(after, after + addition));
	}
}

export function changedTree(context: TestContext): ChangedTree {
	const tree = copyTree(join(temporaryFolder(context), "tree"));
	const node = (...parameters: string[]) => spawnSync(process.execPath, parameters, { cwd: tree, encoding: "utf8" });
	const compile = (project: string) => node("test/node_modules/typescript/bin/tsc", "-p", project);

	const edit = (...additions: Addition[]) => addTo(tree, ...additions);

	return {
		path: tree,
		edit,
		run(...parameters) {
			const { status, stdout, stderr } = node(...parameters);
			assert.equal(status, 0, stderr);
			return stdout;
		},
		leadsTo(project, additions) {
			const { stdout } = compile(project);
			for (const [file] of additions) assert.ok(stdout.includes(`${file}(`), `${file} is named: ${stdout}`);
			edit(...additions);
			const { status, stdout: problems } = compile(project);
			assert.equal(status, 0, problems);
		},
		async fails(file, title) {
			const { outcome, by = "", output } = await runTests(tree, [file], options);
			assert.ok(outcome === "killed" && by.includes(title), output);
		},
		async passes(...files) {
			const { outcome, output } = await runTests(tree, files, options);
			assert.equal(outcome, "survived", output);
		},
	};
}
