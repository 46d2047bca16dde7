// The lists of mutants are up to date, and the runner distinguishes detected and undetected faults.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../support/service.ts";
import { mutated, mutationsOf } from "./mutant-generator.ts";
import { testsFor } from "./mutant-rooms.ts";
import { applied, copyTree, readMutants, root, tryMutant } from "./mutants.ts";

test("every listed mutant changes its file in one place, and names tests that exist", async () => {
	for (const mutant of await readMutants()) {
		assert.notEqual(mutant.from, mutant.to, mutant.file);
		assert.ok(applied(mutant).includes(mutant.to), mutant.file);
		assert.ok(mutant.tests.length > 0, mutant.file);
		for (const path of mutant.tests) assert.ok(existsSync(join(root, path)), `${path}, named for ${mutant.file}`);
	}
});

test("a mutant is killed by a test that detects it, is unloaded, or survives", async (context) => {
	const tree = copyTree(join(temporaryFolder(context), "tree"));
	// Addresses that are never used: without starting PostgreSQL and Chromium the tests are quick.
	const environment = { TEST_POSTGRES_URL: "postgres://nowhere", TEST_CHROMIUM: "/nowhere" };
	const mutant = { file: "src/contract/json.ts", from: "2n ** 63n - 1n", tests: ["src/contract/contract.test.ts"] };
	const outcomes = [];
	for (const to of ["2n ** 62n - 1n", "2n **** 63n", "2n ** 63n - 1n // no change"])
		outcomes.push(await tryMutant(tree, { ...mutant, to }, { environment, limitMs: 60_000 }));
	assert.deepEqual(
		outcomes.map(({ outcome }) => outcome),
		["killed", "unloaded", "survived"],
		outcomes.map(({ output }) => output).join("\n"),
	);
	assert.match(outcomes[0]?.by ?? "", /int64|parseJson/);
});

test("a run of tests that does not end is stopped", async (context) => {
	const tree = copyTree(join(temporaryFolder(context), "tree"));
	const environment = { TEST_POSTGRES_URL: "postgres://nowhere", TEST_CHROMIUM: "/nowhere" };
	const mutant = {
		file: "src/contract/contract.test.ts",
		from: "const startedAt = performance.now();",
		to: "for (;;);",
		tests: ["src/contract/contract.test.ts"],
	};
	const { outcome } = await tryMutant(tree, mutant, { environment, limitMs: 2000 });
	assert.equal(outcome, "did not end");
});

const source = `// a < b
import { x } from "../x.ts";
type Kind = "one" | "two";
export function work(a: number, kind: Kind): string {
	if (kind === "one" && a < 10) report(a);
	return \`a < b \${a + 1} \${/^[/"]+$/.test("<")}\`;
}
`;

test("the generator mutates code, but not types, comments, imports and template texts", async () => {
	const made = (await mutationsOf(source, "source.ts")).map((mutation) => mutated(source, mutation));
	for (const expected of [
		'kind !== "one" && a < 10',
		'kind === "one" || a < 10',
		'kind === "one" && a <= 10',
		'kind === "one" && a < 11',
		'kind === "" && a < 10',
		"{a - 1}",
		"{a + 2}",
		'/[/"]+$/.test("<")',
		'/^[/"]+/.test("<")',
		'.test("")',
	])
		assert.equal(made.filter((text) => text.includes(expected)).length, 1, expected);
	assert.equal(made.length, 10);
	assert.equal((await mutationsOf("\n\tawait save(1);\n\tcount += 1;\n", "loop.ts")).length, 6);
	assert.equal((await mutationsOf('const row = <td class="wide" title="row">{id + 1}</td>;', "row.tsx")).length, 3);
});

test("a source is tested by the test files of its folder, those with its name first", () => {
	assert.deepEqual(testsFor("src/http/paging.ts", root).slice(0, 2), [
		"src/http/paging.test.ts",
		"test/contract/paging.test.ts",
	]);
	assert.ok(testsFor("src/contract/json.ts", root).includes("src/contract/contract.test.ts"));
	assert.throws(() => testsFor("README.md", root), /is in no room/);
	for (const room of ["src/contract", "src/files", "src/ops", "src/cli", "client/src", "console/src"])
		assert.ok(testsFor(`${room}/x.ts`, root).length > 3);
});
