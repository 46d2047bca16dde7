// The lists of mutants are up to date, and the runner distinguishes between detected and undetected faults.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout, copyTree } from "../support/checkout.ts";
import { temporaryFolder } from "../support/service.ts";
import { applied, readMutants, tryMutant } from "./mutants.ts";
import { testsFor } from "./stryker.ts";

test("every listed mutant changes its file in one place, and names tests that exist", async () => {
	for (const mutant of await readMutants()) {
		assert.notEqual(mutant.from, mutant.to, mutant.file);
		assert.ok(applied(mutant).includes(mutant.to), mutant.file);
		assert.ok(existsSync(join(checkout, mutant.test)), `${mutant.test}, named for ${mutant.file}`);
	}
});

test("a mutant is killed by a test that detects it, is unloaded, or survives", async (context) => {
	const tree = copyTree(join(temporaryFolder(context), "tree"));
	// These addresses are never used. With them, no PostgreSQL and no Chromium is started, so the tests are quick.
	const environment = { TEST_POSTGRES_URL: "postgres://nowhere", TEST_CHROMIUM: "/nowhere" };
	const mutant = { file: "src/contract/json.ts", from: "2n ** 63n - 1n", test: "src/contract/contract.test.ts" };
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

test("a source is tested by the tests of its folder, those with its name first", () => {
	const tests = testsFor("src/http/paging.ts");
	assert.deepEqual(tests.slice(0, 2), ["src/http/paging.test.ts", "test/contract/paging.test.ts"]);
	assert.ok(tests.includes("test/contract/model.test.ts"));
	assert.ok(testsFor("src/store").includes("src/store/postgres/url.test.ts"));
	assert.throws(() => testsFor("console/src/app.tsx"), /is in no folder that has tests: src\/contract, /);
});
