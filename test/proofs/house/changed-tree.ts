// A copy of the tree, which a test changes as a developer would, led by the compiler and by failing tests.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { copyTree } from "../../support/checkout.ts";
import { temporaryFolder } from "../../support/service.ts";
import { runTests } from "../../support/test-run.ts";

/** A text to insert into a file after another text, which the file must contain exactly once. */
export type Addition = [file: string, after: string, addition: string];

export function addTo(tree: string, ...additions: Addition[]): void {
	for (const [file, after, addition] of additions) {
		const text = readFileSync(join(tree, file), "utf8");
		assert.equal(text.split(after).length, 2, `${file} has this text once: ${after}`);
		writeFileSync(join(tree, file), text.replace(after, after + addition));
	}
}

export function changedTree(context: TestContext) {
	const tree = copyTree(join(temporaryFolder(context), "tree"));
	const node = (...parameters: string[]) => spawnSync(process.execPath, parameters, { cwd: tree, encoding: "utf8" });
	const compile = (project: string) => node("test/node_modules/typescript/bin/tsc", "--pretty", "false", "-p", project);

	const edit = (...additions: Addition[]) => addTo(tree, ...additions);

	return {
		path: tree,
		edit,
		/** Runs a Node program that must succeed. */
		run(...parameters: string[]) {
			const { status, stderr } = node(...parameters);
			assert.equal(status, 0, stderr);
		},
		/**
		 * Asserts that the compiler names each of these files, and that the additions fix all errors outside tests. The
		 * animals of all tests lack the new required field.
		 */
		leadsTo(project: string, additions: Addition[]) {
			const { stdout } = compile(project);
			for (const [file] of additions) assert.ok(stdout.includes(`${file}(`), `${file} is named: ${stdout}`);
			edit(...additions);
			const lines = compile(project).stdout.split("\n");
			const problems = lines.filter((line) => /^\S+\(\d/.test(line) && !/^test\/|^\S+\.test\.ts/.test(line));
			assert.deepEqual(problems, []);
		},
		/** Asserts that the compiler refuses the addition in its file, for this reason; then takes it back. */
		refuses([file, after, addition]: Addition, reason: RegExp) {
			const before = readFileSync(join(tree, file), "utf8");
			edit([file, after, addition]);
			const { stdout } = compile(".");
			const found = stdout.split("\n").filter((line) => line.startsWith(`${file}(`));
			assert.match(found.join("\n"), reason, stdout);
			writeFileSync(join(tree, file), before);
		},
		/** Asserts that each of these tests fails: the title, or a part of it, by the file. */
		async fail(tests: [file: string, title: string][]) {
			const files = [...new Set(tests.map(([file]) => file))];
			const { failed, output } = await runTests(files, { tree });
			for (const [, title] of tests) assert.ok(failed.join("\n").includes(title), `${title}: ${output}`);
		},
		async pass(...files: string[]) {
			const { isPassed, output } = await runTests(files, { tree });
			assert.ok(isPassed, output);
		},
	};
}
