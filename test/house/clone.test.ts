// A clone has the same files even if git is set to write CRLF, as on Windows.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { copyTree } from "../support/checkout.ts";
import { temporaryFolder } from "../support/service.ts";
import { slowMs } from "../support/until.ts";
import { runTests } from "./mutants.ts";

test("a clone with core.autocrlf=true passes the linter, and the tests that read files as text", {
	timeout: slowMs, // The test runs other tests in a clone.
}, async (context) => {
	const folder = temporaryFolder(context);
	const tree = copyTree(join(folder, "tree"));
	const git = (...parameters: string[]) => execFileSync("git", parameters, { cwd: tree, stdio: "pipe" });
	git("init", "--quiet");
	// Also adds the links to installed packages, which .gitignore does not cover.
	git("add", "--all");
	git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "--message", "all");
	const clone = join(folder, "clone");
	git("clone", "--quiet", "--config", "core.autocrlf=true", tree, clone);
	const linter = join(clone, "test/node_modules/@biomejs/biome/bin/biome");
	const { status, stderr } = spawnSync(process.execPath, [linter, "check", "."], { cwd: clone, encoding: "utf8" });
	assert.equal(status, 0, stderr);
	const environment = { TEST_POSTGRES_URL: "postgres://nowhere", TEST_CHROMIUM: "/nowhere" };
	const readers = ["test/house/house.test.ts", "test/contract/openapi.test.ts", "test/client/client.test.ts"];
	const { outcome, output } = await runTests(clone, readers, { environment, limitMs: 100_000 });
	assert.equal(outcome, "survived", output);
});
